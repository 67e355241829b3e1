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
