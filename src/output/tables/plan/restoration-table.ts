import type {
  Restoration,
  RestoredObject,
  RestoredReference,
} from '../../../restore/plan/restoration.ts';
import { type Paint, type RenderOptions, styleOf } from '../../style.ts';
import { type Cell, renderTable } from '../table.ts';
import { objectCells } from './alike-rows.ts';

/**
 * What happens to each object, in order; before it, what the garbage collector would do with
 * foreign manifests.
 */
export function restorationTable(
  { objects }: Restoration,
  options: RenderOptions,
  wide: boolean,
): string {
  const parts = [asSavedTable(objects, options), mainTable(objects, options, wide)];
  return parts.filter((part) => part !== '').join('\n');
}

function asSavedTable(objects: readonly RestoredObject[], options: RenderOptions): string {
  const style = styleOf(options);
  const paints = { delete: style.red, patch: style.yellow, unknown: style.cyan };
  const rows = objects.flatMap((object) => {
    const { asSaved } = object;
    if (!asSaved) return [];
    return [
      [
        { text: asSavedWords[asSaved.action], paint: paints[asSaved.action] },
        ...objectCells([object], options),
        asSaved.rule,
        asSaved.because,
      ],
    ];
  });
  return renderTable(['AS SAVED', 'KIND', 'NAMESPACE', 'NAME', 'RULE', 'REASON'], rows, options);
}

const asSavedWords = {
  delete: 'deleted at once',
  patch: 'loses references',
  unknown: 'unknown',
} as const;

function mainTable(
  objects: readonly RestoredObject[],
  options: RenderOptions,
  wide: boolean,
): string {
  const style = styleOf(options);
  const paints: Readonly<Record<string, Paint>> = {
    create: style.green,
    created: style.green,
    relink: style.yellow,
    relinked: style.yellow,
    cannot: style.red,
    faulty: style.red,
    refused: style.red,
    'not-tried': style.magenta,
  };
  const headers = ['WAVE', 'KIND', 'NAMESPACE', 'NAME', 'ACTION', 'OWNERS'];
  if (wide) headers.push('OLD UID', 'NEW UID');
  headers.push('REASON');
  const rows = objects.map((object): Cell[] => {
    const word = object.outcome ?? object.action;
    return [
      String(object.wave),
      ...objectCells([object], options),
      { text: word, paint: paints[word] },
      object.references.map(ownerOf).join(', '),
      ...(wide ? [object.uid, object.newUid ?? ''] : []),
      [reasonOf(object), ...object.notes].filter((text) => text !== '').join('; '),
    ];
  });
  return renderTable(headers, rows, options);
}

/** An object that exists again needs no reason. */
function reasonOf({ outcome, message, because }: RestoredObject): string {
  return message ?? (outcome === 'created' ? '' : because);
}

function ownerOf({ kind, name, change }: RestoredReference): string {
  return `${kind}/${name} (${change})`;
}
