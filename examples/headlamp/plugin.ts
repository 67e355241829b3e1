import type { KubeObject } from '../../src/kube/record-codec.ts';
import { deletedWith, readFor, whyThere } from './ask.ts';

/** What Headlamp gives to its plugins, as far as this one uses it. */
interface PluginLib {
  readonly React: {
    createElement(type: unknown, props: object | null, ...children: unknown[]): unknown;
    useState<T>(first: T): [T, (next: T) => void];
  };
  readonly ApiProxy: { request(path: string): Promise<unknown> };
  readonly CommonComponents: { readonly SectionBox: unknown };
  registerDetailsViewSection(section: (props: { resource?: Resource }) => unknown): void;
}

interface Resource {
  readonly jsonData: KubeObject;
}

declare const pluginLib: PluginLib;

const { React, ApiProxy, CommonComponents, registerDetailsViewSection } = pluginLib;

/** Two questions on the page of each object, asked with the rights of who looks at it. */
function Section({ resource }: { readonly resource?: Resource }): unknown {
  const [lines, setLines] = React.useState<readonly string[]>([]);
  if (!resource) return null;
  const subject = resource.jsonData;
  const ask = (question: typeof deletedWith | typeof whyThere) => async () => {
    setLines(['Reading the cluster…']);
    try {
      const snapshot = await readFor((path) => ApiProxy.request(path), subject);
      setLines(await question(snapshot, subject));
    } catch (error) {
      setLines([String(error)]);
    }
  };
  const button = (text: string, onClick: () => Promise<void>) =>
    React.createElement('button', { key: text, onClick }, text);
  return React.createElement(
    CommonComponents.SectionBox,
    { title: 'Garbage collection' },
    button('What is deleted with it?', ask(deletedWith)),
    button('Why is it still there?', ask(whyThere)),
    React.createElement('pre', null, lines.join('\n')),
  );
}

registerDetailsViewSection(Section);
