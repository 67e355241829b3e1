import { addressOf, shellCommand } from '../../command-line/shell-command.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { byContent, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { age } from '../../kube/time.ts';
import { controllerOn } from '../../programs/driver-programs.ts';
import { knownFinalizer } from '../../programs/known-finalizers.ts';
import { type ProgramLife, programKindsUnread, programLives } from '../../programs/program-life.ts';
import { isOfCluster } from '../../snapshot/snapshot.ts';
import {
  blockersInWords,
  blockersOf,
  type Cause,
  type DiagnosisState,
  firstFix,
  type Link,
  linksOf,
  stateOf,
  unreadOf,
} from '../../why/chain.ts';
import { isDue, isLate } from '../../why/deletion-age.ts';
import { diagnosesIn, mostDeletions } from '../../why/investigate.ts';
import { patchCommandOf, type Rule, type RuleInput, type Violation } from '../rule.ts';

export const stuckObject: Rule = {
  id: 'stuck-object',
  title: 'A deletion that does not end',
  severity: 'error',
  consequence: 'never gone: it stays, being deleted, and whatever waits for it waits on',
  advice:
    'Bring back what should finish it: that cleans up, too. `kubectl gc why` shows the chain, and with `--fix` offers the smallest step. Do not empty `spec.finalizers` of a namespace: that leaves in etcd what was in it.',
  check: (view) => {
    const { graph, now, deletions } = view;
    const held = graph.snapshot.records.filter(isBeingDeleted).sort(byContent);
    for (const record of held.slice(mostDeletions)) {
      view.cannotTell(record, `only ${mostDeletions} deletions were checked`);
    }
    const due = held.slice(0, mostDeletions).filter((record) => isDue(record, now));
    if (due.length === 0) return [];
    const explain = diagnosesIn(graph.snapshot, now);
    return due.flatMap((record) => {
      const chain = deletions?.get(record) ?? explain(record);
      return stuckDeletion(view, record, chain, stateOf(chain)) ?? [];
    });
  },
};

/** A deletion that does not end, as `why` explains it; undefined of one that has only just begun, or goes on. */
function stuckDeletion(
  view: RuleInput,
  record: ObjectRecord,
  chain: Link,
  state: DiagnosisState,
): Violation | undefined {
  if (state !== 'stuck' && state !== 'unknown' && state !== 'progressing') return undefined;
  const unread = state === 'stuck' ? undefined : unreadInWords(chain);
  if (unread !== undefined) view.cannotTell(record, unread);
  const isProgressing = state === 'progressing';
  if (isProgressing && !isLate(record, view.now)) return undefined;
  const holders = isProgressing
    ? linksOf(chain)
        .filter((link) => link.state === 'waiting')
        .slice(-1)
    : blockersOf(chain);
  // The rules about rings report that already.
  if (holders.length > 0 && holders.every((link) => isOwnRing(link, record))) return undefined;
  const [first] = holders;
  const hasStep = firstFix(chain) !== undefined;
  const step = hasStep ? ['--fix'] : [];
  const reason = blockersInWords(record.uid, holders);
  const related = holders.flatMap(({ object: { uid } }) => view.graph.withUid(uid) ?? []);
  return {
    object: record,
    message: `being deleted for ${age(record.deletionTimestamp, view.now)}: ${reason}`,
    cause: first?.cause,
    reason,
    related: [...new Set(related)].filter((holder) => holder !== record),
    fix: {
      summary: first?.next || (hasStep ? 'take the step that is offered' : 'see what blocks it'),
      command: shellCommand`kubectl gc why ${addressOf(record)} ${step}`,
    },
    ...(state !== 'stuck' && {
      severity: 'warning',
      confidence: 'likely',
      consequence: state === 'unknown' ? perhapsNever : late,
    }),
  };
}

const perhapsNever = 'might never be deleted';
const late = 'late: what is at work on its deletion has not ended it within a day';

/** Does it wait for itself alone, directly or around a ring? */
function isOwnRing({ cause, object }: Link, { uid }: ObjectRecord): boolean {
  return object.uid === uid && (cause === 'self-owner' || cause === 'ownership-ring');
}

/** Links that are there because something could not be read. */
const gaps = new Set<Cause>(['foreground-unread', 'namespace-unread']);

/** What would show more and was not read, in one sentence. */
function unreadInWords(chain: Link): string | undefined {
  const missing = unreadOf(linksOf(chain)).map(({ what }) => what);
  if (missing.length > 0) return `could not be read: ${firstOf(missing)}`;
  return linksOf(chain).some(({ cause }) => gaps.has(cause))
    ? blockersOf(chain)[0]?.because
    : undefined;
}

export const finalizerWithoutController: Rule = {
  id: 'finalizer-without-controller',
  title: 'A finalizer whose controller does not run',
  severity: 'warning',
  consequence: 'its deletion will not end: no running controller removes the finalizer',
  advice: 'Bring the program back, delete the objects while it runs, and uninstall it then.',
  check: (view) => {
    const lifeOf = livesIn(view);
    // Objects that are already being deleted are left to the rules about deletions that do not end.
    return view.graph.snapshot.records.flatMap((record) =>
      isBeingDeleted(record)
        ? []
        : record.finalizers.flatMap((finalizer, index) => {
            const known = knownFinalizer(finalizer, record.type);
            if (known?.setBy.runsIn !== 'workload') return [];
            const { title, mayRunElsewhere } = known.setBy;
            const life = lifeOf(finalizer, record);
            if (life?.state === 'unread' && life.programs.length === 0 && !mayRunElsewhere) {
              view.cannotTell(record, life.because);
            }
            if (!life || !withoutHelp.has(life.state)) return [];
            const path = `/metadata/finalizers/${index}`;
            const violation: Violation = {
              object: record,
              message: `${finalizer} is removed by the ${title}, ${life.state === 'down' ? 'which does not run: ' : life.state === 'elsewhere' ? 'which ignores it: ' : 'and '}${life.because}; it protects ${known.protects}`,
              confidence: life.state === 'missing' ? 'likely' : 'certain',
              fix: {
                summary: `restore the ${title}; remove the finalizer only if it will never run again`,
                command: patchCommandOf(record, [
                  { op: 'test', path, value: finalizer },
                  { op: 'remove', path },
                ]),
              },
            };
            return [violation];
          }),
    );
  },
};

const withoutHelp: ReadonlySet<string> = new Set(['down', 'elsewhere', 'missing']);

/** Looks for each program once. */
function livesIn({
  graph,
  now,
}: RuleInput): (finalizer: string, object: ObjectRecord) => ProgramLife | undefined {
  const { snapshot, coverage } = graph;
  const lifeOf = programLives({
    records: snapshot.records,
    unread: programKindsUnread(snapshot.types, coverage),
    now,
    ofCluster: isOfCluster(snapshot),
  });
  const seen = new Map<string, (namespace: string) => ProgramLife>();
  return (finalizer, object) => {
    const known = knownFinalizer(finalizer, object.type);
    if (!known) return undefined;
    const controller = controllerOn(known, finalizer, object);
    const key = `${finalizer} ${groupResourceOf(object.type)} ${controller.title}`;
    if (!seen.has(key)) seen.set(key, lifeOf(controller));
    return seen.get(key)?.(object.namespace);
  };
}
