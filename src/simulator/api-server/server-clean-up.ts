import { type ApiServerManaged, accounts } from '../../controllers/bookkeeping.ts';
import type { Change, ControllerLinks } from '../../controllers/controller.ts';
import { CRD_CLEANUP, type ObjectRecord } from '../../kube/object-record.ts';
import { inWords } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import { customResourceDefinitions } from '../../kube/well-known-kinds.ts';
import type { Task } from '../engine/clock.ts';
import type { RunContext } from '../engine/run-context.ts';
import { updateObject } from './api-server.ts';
import { deleteObject } from './delete-object.ts';

/** How often the API server checks whether instances remain. */
const pollInterval = 5_000;

/**
 * The API server's own controller for deleted CustomResourceDefinitions: deletes all instances,
 * waits for them to go, and lets the definition go (GC-66). Calls `onUnserved` afterwards.
 */
export function startCustomResourceCleanup(context: RunContext, onUnserved: () => void): void {
  const { state, clock, schedule } = context;
  const running = new Set<string>();
  const begin = (record: ObjectRecord) => {
    if (record.deletionTimestamp === undefined || running.has(record.uid)) return;
    if (!record.finalizers.includes(CRD_CLEANUP)) return;
    running.add(record.uid);
    const attempt = () =>
      clock.start(cleanUp(context, record), (done) => {
        if (!done) clock.retryAfter(pollInterval, attempt);
      });
    clock.after(schedule.watch(), attempt);
  };
  for (const record of state.ofResource(customResourceDefinitions)) begin(record);
  state.watch(({ before, after }) => {
    if (after) begin(after);
    if (!before || after) return;
    const { all } = state.types;
    const left = all.filter((served) => groupResourceOf(served) !== before.name);
    state.types = new ResourceTypes(left, state.types);
    onUnserved();
  }, customResourceDefinitions);
}

function* cleanUp(context: RunContext, definition: ObjectRecord): Task<boolean> {
  const { state, schedule, timeline } = context;
  const type = state.types.versions(definition.name)[0];
  if (type) {
    for (const listed of state.listAll(type)) {
      yield schedule.request();
      const record = state.current(listed);
      if (!record) continue;
      const { result } = deleteObject(context, record, {});
      if (result === 'unchanged') continue;
      timeline.note('kube-apiserver', 'delete', record, result, () => ({
        because: `its CustomResourceDefinition ${definition.name} is being deleted`,
        rule: 'GC-66',
      }));
    }
    yield schedule.request();
    if (state.listAll(type).length > 0) return false;
  }
  yield schedule.request();
  const current = state.current(definition);
  if (!current) return true;
  if (type) state.causes.alsoFollows({ type });
  const finalizers = current.finalizers.filter((name) => name !== CRD_CLEANUP);
  const { result } = updateObject(context, current, { ...current, finalizers });
  timeline.note('kube-apiserver', 'patch', current, result, () => ({
    because: 'no instance of it is left',
    rule: 'GC-66',
  }));
  return true;
}

/** Objects that API servers keep for another object are deleted with it (BOOK-1, BOOK-2). */
export function startBookkeeping(context: RunContext): void {
  const { state, clock, schedule, timeline } = context;
  const watch = (account: ApiServerManaged, { before, after }: Change) => {
    if (!before || after) return;
    // Its kind is not served any more when this is done.
    const names = account.namesFor(before, state.types);
    clock.after(schedule.watch(), () => {
      for (const name of names) {
        const record = state.at(account.kept, '', name);
        if (!record || !account.isKept(record)) continue;
        if (account.isShared && isKeptForAnother(account, name)) continue;
        const { result } = deleteObject(context, record, {});
        timeline.note('kube-apiserver', 'delete', record, result, () => ({
          because: `it was kept for ${inWords(before)}, which was deleted`,
          rule: account.rule,
        }));
      }
    });
  };
  for (const one of accounts) state.watch((change) => watch(one, change), one.of);

  function isKeptForAnother({ of, namesFor }: ApiServerManaged, name: string): boolean {
    return state.ofResource(of).some((one) => namesFor(one, state.types).includes(name));
  }
}

/** An object, and what is kept for it. */
export function linksOfBookkeeping(types: ResourceTypes): readonly ControllerLinks[] {
  return accounts.map(({ kept, of, namesFor }) => ({
    kinds: [kept],
    links: {
      [kept]: ({ name }) => [name],
      [of]: (record) => namesFor(record, types),
    },
  }));
}
