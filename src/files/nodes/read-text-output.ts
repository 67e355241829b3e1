import { defaultContainerGcPolicy } from '../../kubelet/containers/container-gc.ts';
import type { ContainerGcPolicy } from '../../kubelet/node-facts.ts';
import { parseGoDuration } from '../../syntax/go-syntax.ts';
import type { DiskRow, NodeParts } from './node-facts.ts';

/** Takes what is known from lines that are not JSON: df, /flagz. */
export function readTextOutput(text: string, parts: NodeParts): void {
  const disks = readDf(text.split('\n').map((line) => line.trim()));
  if (disks.length > 0) parts.disks = disks;
  const flags = readFlagz(text);
  if (flags) parts.containerFlags = flags;
}

/** `df -B1 --output=source,size,avail,itotal,iavail,target FOLDER…` */
function readDf(lines: readonly string[]): DiskRow[] {
  const head = lines.findIndex((line) => /^Filesystem\s+1B-blocks\s+Avail\s+Inodes/.test(line));
  if (head < 0) return [];
  const rows: DiskRow[] = [];
  for (const line of lines.slice(head + 1)) {
    const row = /^\S+\s+(\d+)\s+(\d+)\s+(\d+|-)\s+(\d+|-)\s+(\/.*)$/.exec(line);
    if (!row) break;
    const [, size, available, inodes, inodesFree, target = ''] = row;
    rows.push({
      target,
      capacityBytes: Number(size),
      availableBytes: Number(available),
      inodes: inodes === '-' ? undefined : Number(inodes),
      inodesFree: inodesFree === '-' ? undefined : Number(inodesFree),
    });
  }
  return rows;
}

/** The flags for containers in the text of /flagz; undefined when it names none of them. */
export function readFlagz(text: string): ContainerGcPolicy | undefined {
  const lines = text.split('\n').map((line) => line.trim().replace(/^--/, ''));
  const written = (flag: string) => {
    const rests = lines.flatMap((line) => (line.startsWith(flag) ? line.slice(flag.length) : []));
    return rests.flatMap((rest) => /^(?:\s*[=:]|\s)\s*(\S+)$/.exec(rest)?.[1] ?? [])[0];
  };
  const age = written('minimum-container-ttl-duration');
  const each = written('maximum-dead-containers-per-container');
  const all = written('maximum-dead-containers');
  if (age === undefined && each === undefined && all === undefined) return undefined;
  const fallback = defaultContainerGcPolicy;
  return {
    minAge: (age === undefined ? undefined : parseGoDuration(age)) ?? fallback.minAge,
    maxPerPodContainer: each === undefined ? fallback.maxPerPodContainer : Number(each),
    maxContainers: all === undefined ? fallback.maxContainers : Number(all),
  };
}
