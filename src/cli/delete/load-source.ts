import { promises as fs } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ManifestSource } from './expand-paths.ts';

const attempts = 3;

/** The bytes of a source; throws an Error whose message is for people. */
export async function loadSource(source: ManifestSource): Promise<Uint8Array> {
  switch (source.kind) {
    case 'stdin':
      return readStdin();
    case 'url':
      return download(source.name);
    case 'kustomization':
      return kustomize(source.name);
    default:
      return fs.readFile(source.name);
  }
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Tried again after a failure of the server, as kubectl does. */
async function download(url: string): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === attempts;
    try {
      const response = await fetch(url);
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      const { status, statusText } = response;
      if (isLast || status < 500) {
        throw new Refused(
          `unable to read URL "${url}", server reported ${status} ${statusText}, status code=${status}`,
        );
      }
    } catch (error) {
      if (isLast || error instanceof Refused) throw error;
    }
    await sleep(1000);
  }
}

class Refused extends Error {}

/** There is no kustomize for Node: the one in kubectl builds the folder. */
async function kustomize(folder: string): Promise<Uint8Array> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    execFile(
      'kubectl',
      ['kustomize', folder],
      { encoding: 'buffer', maxBuffer: 1 << 28 },
      (error, stdout, stderr) => {
        if (!error) resolve(stdout);
        else if (error.code === 'ENOENT') {
          reject(new Error('-k needs kubectl in PATH, which builds the kustomization'));
        } else
          reject(
            new Error(
              stderr
                .toString()
                .trim()
                .replace(/^error: /, '') || error.message,
            ),
          );
      },
    );
  });
}
