import { type Account, accounts } from '../../controllers/bookkeeping.ts';
import { inWords } from '../../kube/object-reference.ts';
import { storedAs } from '../../kube/resource-type.ts';
import type { KeyedController } from '../controllers/keyed-controller.ts';
import type { RunContext } from '../engine/run-context.ts';
import { deleteObject } from './delete-object.ts';

/** What API servers keep for an object goes with it (BOOK-1, BOOK-2). */
export function startBookkeeping(context: RunContext): void {
  const { state, clock, schedule, timeline } = context;
  state.watch(({ before, after }) => {
    if (!before || after) return;
    const account = accounts.find(({ of }) => of === storedAs(before.type));
    if (!account) return;
    // Its kind is not served any more when this is done.
    const names = account.namesFor(before, state.types);
    clock.after(schedule.watch(), () => {
      for (const name of names) {
        const record = state.at(account.kept, '', name);
        if (!record || !account.isKept(record)) continue;
        if (account.isShared && isKeptForAnother(account, name)) continue;
        const { result } = deleteObject(context, record, {});
        timeline.note('kube-apiserver', 'delete', record, result, () => ({
          because: `it was kept for ${inWords(before)}, which is gone`,
          rule: account.rule,
        }));
      }
    });
  });

  function isKeptForAnother({ of, namesFor }: Account, name: string): boolean {
    return [...state.ofResource(of)].some((one) => namesFor(one, state.types).includes(name));
  }
}

/** An object, and what is kept for it. */
export const linksOfBookkeeping: NonNullable<KeyedController['linksOf']> = (record, { state }) => {
  const kind = storedAs(record.type);
  return accounts.flatMap(({ kept, of, namesFor }) =>
    kind === kept ? [record.name] : kind === of ? namesFor(record, state.types) : [],
  );
};
