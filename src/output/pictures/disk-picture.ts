import { formatSize } from '../../kubelet/images/disk-usage.ts';
import type { ContainersReport } from '../documents/nodes/containers.ts';
import type { ImagesReport, NodeImages } from '../documents/nodes/images.ts';
import { escapeMarkup } from '../printable.ts';

const width = 640;
const barHeight = 22;
const rowHeight = 96;
const left = 20;
const barWidth = width - 2 * left;

/** The disks of nodes before and after the next pass, as SVG or as an HTML page around it. */
export function diskPicture(
  report: ImagesReport | ContainersReport,
  format: 'svg' | 'html',
): string {
  const rows = report.kind === 'Images' ? report.nodes.map(diskRow) : report.nodes.map(countRow);
  const height = rows.length * rowHeight + 20;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...rows.map((row, index) => `<g transform="translate(0 ${index * rowHeight + 10})">${row}</g>`),
    '</svg>',
  ].join('\n');
  if (format === 'svg') return `${svg}\n`;
  const title = report.kind === 'Images' ? 'Images of nodes' : 'Containers of nodes';
  return [
    '<!DOCTYPE html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>`,
    `<body>\n${svg}\n</body></html>\n`,
  ].join('\n');
}

function diskRow({ node, disk, pass, settings }: NodeImages): string {
  if (!disk) return label(0, `${node}: how full the disk is could not be read`);
  const { capacityBytes, availableBytes, usedPercent } = disk;
  const share = (bytes: number) => (bytes / capacityBytes) * barWidth;
  const used = share(capacityBytes - availableBytes);
  const after = pass.after?.availableBytes ?? { least: availableBytes, most: availableBytes };
  const [fullest, emptiest] = [after.least, after.most].map((bytes) =>
    share(capacityBytes - bytes),
  );
  const high = barWidth * (settings.highThresholdPercent / 100);
  const low = barWidth * (settings.lowThresholdPercent / 100);
  const freed =
    pass.freedBytes.least === pass.freedBytes.most
      ? formatSize(pass.freedBytes.most)
      : `${formatSize(pass.freedBytes.least)} to ${formatSize(pass.freedBytes.most)}`;
  return [
    label(
      0,
      `${node}: ${usedPercent}% of ${formatSize(capacityBytes)} used; the next pass frees ${freed}`,
    ),
    bar(20, 'before', [{ width: used, colour: '#4878a8' }]),
    bar(46, 'after', [
      { width: fullest ?? used, colour: '#a8c0d8' },
      { width: emptiest ?? used, colour: '#4878a8' },
    ]),
    mark(high, '#b03030', `high ${settings.highThresholdPercent}%`),
    mark(low, '#308030', `low ${settings.lowThresholdPercent}%`),
  ].join('');
}

function countRow({ node, containers, sandboxes }: ContainersReport['nodes'][number]): string {
  const all = [...containers, ...sandboxes];
  const share = (fates: readonly string[]) =>
    (all.filter(({ fate }) => fates.includes(fate)).length / Math.max(1, all.length)) * barWidth;
  const gone = all.filter(({ fate }) => fate === 'removed').length;
  return [
    label(0, `${node}: ${all.length} containers and sandboxes, ${gone} go in the next pass`),
    bar(20, 'before', [{ width: all.length === 0 ? 0 : barWidth, colour: '#4878a8' }]),
    bar(46, 'after', [
      { width: share(['kept', 'may-be-removed']), colour: '#a8c0d8' },
      { width: share(['kept']), colour: '#4878a8' },
    ]),
  ].join('');
}

interface Piece {
  readonly width: number;
  readonly colour: string;
}

/** Pieces lie on one another, all from the left. */
function bar(y: number, name: string, pieces: readonly Piece[]): string {
  const rect = (piece: Piece) =>
    `<rect x="${left}" y="${y}" width="${round(piece.width)}" height="${barHeight}" fill="${piece.colour}"/>`;
  return [
    rect({ width: barWidth, colour: '#eeeeee' }),
    ...pieces.map(rect),
    `<text x="${left + 4}" y="${y + 15}" fill="#ffffff">${name}</text>`,
  ].join('');
}

function mark(x: number, colour: string, title: string): string {
  const at = round(left + x);
  return `<line x1="${at}" y1="18" x2="${at}" y2="70" stroke="${colour}" stroke-width="2"><title>${title}</title></line>`;
}

function label(y: number, text: string): string {
  return `<text x="${left}" y="${y + 14}">${escapeMarkup(text)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
