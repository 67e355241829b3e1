import { jsonOfPlainYaml } from './plain-yaml.ts';

/** Reads one document as Kubernetes does; what follows it is refused, or left unread where only the first counts. Throws ParseFailure. */
export async function parseYaml(text: string, only?: 'first'): Promise<unknown> {
  return (await yamlReader(text, only))();
}

/** Reads the document as often as it is called; throws ParseFailure. The YAML parser is loaded by the first text that is not plain. */
export async function yamlReader(text: string, only?: 'first'): Promise<() => unknown> {
  const json = jsonOfPlainYaml(text);
  return json === undefined ? generalYamlReader(text, only) : jsonReader(json);
}

/** JSON.parse also makes strings of their own, that do not keep the whole document alive. */
export function jsonReader(json: string): () => unknown {
  return () => JSON.parse(json);
}

/** The same as yamlReader, of a text that is not plain. */
export async function generalYamlReader(text: string, only?: 'first'): Promise<() => unknown> {
  const { parseGeneralYaml } = await import('./general-yaml.ts');
  return () => parseGeneralYaml(text, only);
}

/** One document of a file, with the separator and the comments in front of it. */
export interface DocumentText {
  readonly text: string;
  /** 1-based line of its first character. */
  readonly line: number;
}

/** Cuts a file into YAML documents; put together again they are the file. */
export function splitYaml(file: string): DocumentText[] {
  return withLines(file.split(/^(?=---(?:\s|$))/m));
}

/** The parts of a file, each with the line where it begins. */
export function withLines(parts: readonly string[]): DocumentText[] {
  let line = 1;
  return parts.map((text) => {
    const document = { text, line };
    line += text.split('\n').length - 1;
    return document;
  });
}
