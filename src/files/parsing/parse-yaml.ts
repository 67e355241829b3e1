/** Reads one document as Kubernetes does; what follows it is refused, or left unread where only the first counts. Throws ParseFailure. */
export async function parseYaml(text: string, only?: 'first'): Promise<unknown> {
  return (await yamlReader())(text, only);
}

/** The same, once the YAML parser is loaded: JSON is read without it. */
export async function yamlReader(): Promise<(text: string, only?: 'first') => unknown> {
  return (await import('./yaml-value.ts')).yamlValue;
}

/** The same for input that is mostly JSON, so that the YAML reader is loaded only when it is needed. */
export async function parseJsonOrYaml(text: string, only?: 'first'): Promise<unknown> {
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text);
    } catch {
      // Something may follow it, or it is YAML in flow style.
    }
  }
  return parseYaml(text, only);
}

/** One document of a file, with the separator and the comments in front of it. */
export interface DocumentText {
  readonly text: string;
  /** 1-based line of its first character. */
  readonly line: number;
}

/** Cuts a file into YAML documents; put together again they are the file. */
export function splitYaml(file: string): DocumentText[] {
  let line = 1;
  return file.split(/^(?=---(?:\s|$))/m).map((text) => {
    const document = { text, line };
    line += text.split('\n').length - 1;
    return document;
  });
}
