import type { HealthCheck } from '../../why/garbage-collector/health-check.ts';
import type { GarbageCollectorHealthReport } from '../documents/why-gc.ts';
import { printable } from '../printable.ts';
import { type RenderOptions, styleOf } from '../style.ts';
import { evidenceText, linkLines } from './why-tree.ts';

type Style = ReturnType<typeof styleOf>;

/** The garbage collector's health, one line for each check, and below it what is broken. */
export function whyGcTable(
  report: GarbageCollectorHealthReport,
  options: RenderOptions,
  wide: boolean,
): string {
  const style = styleOf(options);
  const lines = report.checks.flatMap((one) => checkLines(one, style, wide));
  const { canary } = report;
  if (canary) {
    lines.push(
      `${word(canary.state === 'collected' ? 'ok' : canary.state === 'not-collected' ? 'failing' : 'unknown', style)} canary: ${printable(canary.because)}`,
    );
    for (const name of canary.left)
      lines.push(`   ${style.red('left behind:')} ${printable(name)}`);
  }
  return `${lines.join('\n')}\n`;
}

function checkLines(one: HealthCheck, style: Style, wide: boolean): string[] {
  const rule = one.rule === '' ? '' : style.dim(` [${one.rule}]`);
  const lines = [`${word(one.state, style)} ${one.id}: ${printable(one.because)}${rule}`];
  if (wide)
    lines.push(...one.evidence.map((entry) => `   ${style.dim(`• ${evidenceText(entry)}`)}`));
  if (one.next !== '' && one.state !== 'ok')
    lines.push(`   ${style.cyan('→')} ${printable(one.next)}`);
  const nowhere = { apiVersion: '', kind: '', namespace: '', name: '', uid: '' };
  for (const [index, entry] of one.links.entries()) {
    lines.push(...linkLines(entry, '   ', index === one.links.length - 1, style, wide, nowhere));
  }
  return lines;
}

function word(state: HealthCheck['state'], style: Style): string {
  const padded = state.padEnd(7);
  switch (state) {
    case 'ok':
      return style.green(padded);
    case 'failing':
      return style.red(padded);
    case 'warning':
      return style.yellow(padded);
    case 'unknown':
      return style.magenta(padded);
  }
}
