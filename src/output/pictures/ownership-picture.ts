import type { ObjectReference } from '../../kube/object-reference.ts';
import type { AuditItem } from '../documents/audit.ts';
import { escapeMarkup as escaped } from '../printable.ts';

/** A box of the picture. */
interface Box {
  readonly title: string;
  readonly note: string;
  readonly look: 'there' | 'gone' | 'self';
}

const width = 340;
const height = 46;
const gap = 46;
const longest = 44;
const mostRelated = 4;

/**
 * The ownership around a finding: the owner that the reference names, the objects that exist, and
 * the object itself.
 */
export function ownershipPicture(item: AuditItem): string {
  const { object, reference, related } = item;
  const self: Box = { title: labelOf(object), note: 'this object', look: 'self' };
  const others = related.slice(0, mostRelated).map(
    (one): Box => ({
      title: labelOf(one),
      note: relationOf(one, item),
      look: 'there',
    }),
  );
  const more = related.length - others.length;
  if (more > 0) others.push({ title: `${more} more`, note: 'see -o json', look: 'there' });
  const isThere =
    reference && related.some((one) => isNamed(one, item) && one.uid === reference.uid);
  const named: Box[] =
    reference && !isThere
      ? [
          {
            title: `${reference.kind}/${reference.name}`,
            note: `named as the owner, uid ${reference.uid}`,
            look: 'gone',
          },
        ]
      : [];
  const boxes = [...named, ...others, self];
  const total = boxes.length * (height + gap) - gap + 4;
  const edges = boxes.slice(0, -1).map((box, index) => edgeOf(box, index, boxes.length));
  return [
    `<svg viewBox="0 0 ${width} ${total}" role="img" aria-label="${escaped(`Ownership around ${self.title}`)}">`,
    ...edges,
    ...boxes.map(drawn),
    '</svg>',
  ].join('');
}

function labelOf({ kind, namespace, name }: Omit<ObjectReference, 'apiVersion' | 'uid'>): string {
  return `${kind}/${name}${namespace === '' ? '' : ` in ${namespace}`}`;
}

function isNamed({ kind, name }: ObjectReference, { reference }: AuditItem): boolean {
  return kind === reference?.kind && name === reference.name;
}

function relationOf(one: ObjectReference, item: AuditItem): string {
  const { reference } = item;
  if (!reference) return 'related';
  if (one.uid === reference.uid)
    return isNamed(one, item) ? 'its owner' : 'has the uid of the reference';
  return isNamed(one, item) ? 'has the name, and another uid' : 'related';
}

function topOf(index: number): number {
  return 2 + index * (height + gap);
}

/** From the object, which is the last box, up to the one that it names: straight to its neighbour, else around. */
function edgeOf({ look }: Box, index: number, count: number): string {
  const from = topOf(count - 1);
  const to = topOf(index) + height;
  const broken = look === 'gone' ? ' class="broken"' : '';
  const isNext = index === count - 2;
  const right = width - 3 - 9 * index;
  const line = isNext
    ? `M${width / 2} ${from}V${to + 6}`
    : `M${width - 40} ${from}V${from - 14}H${right}V${to - height / 2}H${width - 22}`;
  const tip = isNext ? `M${width / 2} ${to}l-4 8h8z` : `M${width - 30} ${to - height / 2}l8 -4v8z`;
  return `<path${broken} d="${line}"/><path class="tip" d="${tip}"/>`;
}

function drawn({ title, note, look }: Box, index: number): string {
  const y = topOf(index);
  const text = (at: number, words: string, small = '') =>
    `<text x="12" y="${y + at}"${small}>${escaped(cut(words))}</text>`;
  const named = `<title>${escaped(title)}</title>`;
  const box = `<rect class="${look}" x="2" y="${y}" width="${width - 32}" height="${height}" rx="6"/>`;
  return `<g>${named}${box}${text(19, title)}${text(36, note, ' class="small"')}</g>`;
}

function cut(text: string): string {
  const chars = [...text];
  return chars.length <= longest ? text : `${chars.slice(0, longest - 1).join('')}…`;
}
