import { stripVTControlCharacters } from 'node:util';

/** One command as it was typed, and what it printed, colours included. */
export interface Screen {
  readonly command: string;
  readonly output: string;
}

const columns = 100;
const fontSize = 13;
const charWidth = 7.8;
const lineHeight = 18;
const margin = 16;

/** What a terminal of 100 columns shows of commands, one below the other, as SVG. */
export function terminalPicture(screens: readonly Screen[]): string {
  const lines = screens.flatMap(({ command, output }, index) => [
    ...(index === 0 ? [] : ['']),
    `\u001b[1m$ ${command}\u001b[22m`,
    ...output.trimEnd().split('\n').flatMap(wrapped),
  ]);
  const width = Math.ceil(columns * charWidth + 2 * margin);
  const height = lines.length * lineHeight + 2 * margin;
  const title = screens.map(({ command }) => escaped(command)).join('; ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${title}</title>`,
    '<style>',
    `text { font: ${fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d0d7de; white-space: pre }`,
    ...Object.entries(classes).map(([name, style]) => `.${name} { ${style} }`),
    '</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#161b22"/>`,
    ...lines.map((line, index) => {
      const y = margin + (index + 1) * lineHeight - 5;
      return `<text x="${margin}" y="${y}" xml:space="preserve">${spans(line)}</text>`;
    }),
    '</svg>\n',
  ].join('\n');
}

const classes = {
  bold: 'font-weight: bold; fill: #ffffff',
  dim: 'fill: #8b949e',
  red: 'fill: #ff7b72',
  green: 'fill: #7ee787',
  yellow: 'fill: #e3b341',
  blue: 'fill: #79c0ff',
} as const;

/** The classes that an SGR parameter turns on; any other turns colours and weights off. */
const classOf: Readonly<Record<string, keyof typeof classes>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  35: 'blue',
  36: 'blue',
  90: 'dim',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape begins a colour
const colour = /\u001b\[([0-9;]*)m/;

function spans(line: string): string {
  const [first = '', ...rest] = line.split(colour);
  let text = escaped(first);
  for (let index = 0; index + 1 < rest.length; index += 2) {
    const name = classOf[rest[index] ?? ''];
    const part = escaped(rest[index + 1] ?? '');
    if (part === '') continue;
    text += name === undefined ? part : `<tspan class="${name}">${part}</tspan>`;
  }
  return text;
}

/** A line that is longer than the terminal is wide goes on in the next one; such a line has no colours. */
function wrapped(line: string): string[] {
  const plain = stripVTControlCharacters(line);
  if (plain.length <= columns) return [line];
  return plain.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? [];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
