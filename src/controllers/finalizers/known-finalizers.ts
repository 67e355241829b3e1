import { matchesPattern } from '../../kube/names.ts';
import { finalizerTable } from './finalizer-table.ts';
import type { FinalizerController, KnownFinalizer } from './known-finalizer.ts';

const kubernetes = 'https://github.com/kubernetes/kubernetes/blob/v1.36.3';

const switches: readonly string[] = ['mayRunElsewhere', 'oneOfMany'];
const lists: readonly string[] = ['names', 'labels', 'images', 'leases'];
const manager = ['kube-controller-manager'];

let known: readonly KnownFinalizer[] | undefined;

/** Every finalizer that is known, in the order of docs/finalizers.md. The table is read when it is first asked for. */
export function knownFinalizers(): readonly KnownFinalizer[] {
  known ??= finalizersOf(finalizerTable);
  return known;
}

function finalizersOf(table: string): KnownFinalizer[] {
  const found: KnownFinalizer[] = [];
  let setBy: FinalizerController = { title: '', runsIn: 'workload' };
  let source = '';
  const lines = table.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [title = '', page] = line.trim().split('| ');
    if (page !== undefined) source = page.replace(/^k8s:/, kubernetes);
    if (!line.startsWith(' ')) setBy = { title: title.trim(), runsIn: 'workload', names: [] };
    else if (isAttributes(title)) setBy = withAttributes(setBy, title);
    else if (title !== '') {
      const [protects = '', removedWhen = ''] = lines.slice(at + 1, at + 3);
      found.push({
        name: title,
        setBy,
        protects: protects.trim(),
        removedWhen: removedWhen.trim(),
        source,
      });
      at += 2;
    }
  }
  return found;
}

function isAttributes(line: string): boolean {
  return line.split(' ').every((word) => word.includes('=') || switches.includes(word));
}

/** `names=keda-operator labels=keda-operator mayRunElsewhere`; by an API group, the names of its own program. */
function withAttributes(controller: FinalizerController, line: string): FinalizerController {
  const read: Record<string, unknown> = {};
  const namesByGroup = { ...controller.namesByGroup };
  for (const word of line.split(' ')) {
    const [key = '', value] = word.split('=');
    if (value === undefined) read[key] = true;
    else if (lists.includes(key)) read[key] = value.split(',');
    else if (key.includes('.')) namesByGroup[key] = value.split(',');
    else read[key] = value;
  }
  const isManaged = read.runsIn === 'kube-controller-manager';
  return {
    ...controller,
    ...(isManaged && { names: manager, images: manager, leases: manager }),
    ...read,
    ...(Object.keys(namesByGroup).length > 0 && { namesByGroup }),
  };
}

const found = new Map<string, KnownFinalizer | undefined>();

/** What is known of a finalizer: the entry of that name, else the narrowest family it belongs to. */
export function knownFinalizer(name: string): KnownFinalizer | undefined {
  if (!found.has(name)) found.set(name, entryOf(name));
  return found.get(name);
}

function entryOf(name: string): KnownFinalizer | undefined {
  const all = knownFinalizers();
  const families = all.filter((one) => one.name.includes('*') && matchesPattern(one.name, name));
  return (
    all.find((one) => one.name === name) ??
    families.sort((a, b) => b.name.length - a.name.length)[0]
  );
}
