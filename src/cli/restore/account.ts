import { notRestored, type Restoration, type RestoredObject } from '../../backup/restoration.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';

/** One or two lines that say how a restoration stands. */
export function accountOf(restoration: Restoration): string[] {
  const { objects, state } = restoration;
  const lines: string[] = [];
  const taken = objects.filter(({ asSaved }) => asSaved?.action === 'delete').length;
  if (taken > 0 && state === 'planned') {
    lines.push(
      `Applied as they were saved, ${count(taken, 'object')} would be deleted by the garbage collector at once.`,
    );
  }
  const counts = Map.groupBy<string, RestoredObject>(
    objects,
    ({ outcome, action }) => outcome ?? action,
  );
  const parts = [...words].flatMap(([word, text]) => {
    const some = counts.get(word)?.length ?? 0;
    return some === 0 ? [] : `${some} ${text}`;
  });
  lines.push(`${stateWords[state]}: ${parts.join(', ')}.`);
  return lines;
}

const stateWords = {
  planned: 'Nothing was sent',
  rehearsed: 'Rehearsed on the server, and nothing was stored',
  performed: 'Done',
  interrupted: 'Interrupted',
} as const;

const words = new Map<string, string>([
  ['create', 'to create'],
  ['relink', 'to give an owner back'],
  ['created', 'created'],
  ['relinked', 'given an owner back'],
  ['exists', 'there already'],
  ['skip', 'left out'],
  ['cannot', 'cannot be restored'],
  ['faulty', 'there with a fault'],
  ['refused', 'refused'],
  ['not-tried', 'not tried'],
]);

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** 4 when something that should be there is not. */
export function exitCodeOf(restoration: Restoration): ExitCode {
  if (restoration.state === 'interrupted') return exitCodes.interrupted;
  if (restoration.state === 'planned') return exitCodes.ok;
  return notRestored(restoration).length > 0 ? exitCodes.incomplete : exitCodes.ok;
}
