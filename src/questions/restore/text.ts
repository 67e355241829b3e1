import { stacked } from '../../output/fit-text.ts';
import type { Paint, RenderOptions } from '../../output/style.ts';
import { objectColumns } from '../../output/tables/alike-rows.ts';
import { type Column, renderItems } from '../../output/tables/table.ts';
import type {
  Restoration,
  RestoredObject,
  RestoredReference,
} from '../../restore/plan/restoration.ts';
import { type Answer, distinctNames } from '../answer.ts';

export const restorationAnswer = {
  tableOf: restorationTable,
  namesOf: ({ objects }: Restoration) => distinctNames(objects.map((object) => ({ object }))),
} satisfies Answer<Restoration>;

/**
 * What happens to each object, in order; before it, what the garbage collector would do with
 * foreign manifests.
 */
export function restorationTable({ objects }: Restoration, options: RenderOptions): string {
  const foreign = objects.flatMap(({ asSaved, ...object }) =>
    asSaved ? [{ ...object, asSaved }] : [],
  );
  return stacked([
    renderItems(foreign, asSavedColumns, options),
    renderItems(objects, restoredColumns, options),
  ]);
}

type ForeignObject = RestoredObject & Required<Pick<RestoredObject, 'asSaved'>>;

const asSavedColumns: readonly Column<ForeignObject>[] = [
  ['AS SAVED', ({ asSaved }) => asSavedCells[asSaved.action]],
  ...objectColumns((object: RestoredObject) => [object]),
  ['RULE', ({ asSaved }) => asSaved.rule],
  ['REASON', ({ asSaved }) => asSaved.because],
];

const asSavedCells = {
  delete: { text: 'deleted immediately', paint: 'red' },
  patch: { text: 'loses references', paint: 'yellow' },
  unknown: { text: 'unknown', paint: 'cyan' },
} as const;

const restoredColumns: readonly Column<RestoredObject>[] = [
  ['STEP', ({ wave }) => String(wave)],
  ...objectColumns((object: RestoredObject) => [object]),
  ['ACTION', ({ action, outcome = action }) => ({ text: outcome, paint: actionPaints[outcome] })],
  ['OWNERS', ({ references }) => references.map(restoredOwner).join(', ')],
  ['OLD UID', ({ uid }) => uid, 'wide'],
  ['NEW UID', ({ newUid }) => newUid ?? '', 'wide'],
  [
    'REASON',
    (object) =>
      [restorationReason(object), neededBy(object), ...object.notes]
        .filter((text) => text !== '')
        .join('; '),
  ],
];

const actionPaints: Readonly<Partial<Record<string, Paint>>> = {
  create: 'green',
  created: 'green',
  relink: 'yellow',
  relinked: 'yellow',
  patch: 'yellow',
  patched: 'yellow',
  cannot: 'red',
  faulty: 'red',
  refused: 'red',
  differs: 'yellow',
  missing: 'red',
  unknown: 'cyan',
  'not-checked': 'cyan',
  'not-tried': 'magenta',
};

/** An object that exists again needs no reason. */
function restorationReason({ outcome, message, because }: RestoredObject): string {
  return message ?? (outcome === 'created' ? '' : because);
}

function neededBy({ neededBy: by }: RestoredObject): string {
  return by ? `${by.kind} ${by.name} needs it` : '';
}

function restoredOwner({ kind, name, change }: RestoredReference): string {
  return `${kind}/${name} (${change})`;
}
