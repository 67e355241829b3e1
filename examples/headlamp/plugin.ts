import type { KubeObject } from '../../src/kube/record-codec.ts';
import { deletedWith, readFor, whyThere } from './ask.ts';

/** What Headlamp gives to its plugins, as far as this one uses it. */
interface PluginLib {
  readonly React: {
    createElement(type: unknown, props: object | null, ...children: unknown[]): unknown;
    useState<T>(first: T): [T, (next: T) => void];
  };
  readonly ApiProxy: { request(path: string): Promise<unknown> };
  readonly CommonComponents: { readonly SectionBox: unknown; readonly Dialog: unknown };
  registerDetailsViewSection(section: (props: { resource?: Resource }) => unknown): void;
  registerDetailsViewHeaderAction(action: (props: { item?: Resource }) => unknown): void;
}

interface Resource {
  readonly jsonData: KubeObject;
}

/** An answer, and the object that it is about: a page may go on to show another one. */
interface Shown {
  readonly uid: unknown;
  readonly lines: readonly string[];
}

declare const pluginLib: PluginLib;
declare const location: { readonly href: string };

const { React, ApiProxy, CommonComponents } = pluginLib;
const title = 'Garbage collection';

/** The two questions on an object, asked with the rights of who looks at its page, and the last answer. */
function useQuestions(subject: KubeObject | undefined): unknown[] {
  const [shown, setShown] = React.useState<Shown | undefined>(undefined);
  if (!subject) return [];
  const { uid } = subject.metadata;
  const ask = (question: typeof deletedWith | typeof whyThere) => async () => {
    setShown({ uid, lines: ['Reading the cluster…'] });
    try {
      const snapshot = await readFor((path) => ApiProxy.request(path), subject);
      setShown({ uid, lines: await question(snapshot, subject) });
    } catch (error) {
      setShown({ uid, lines: [String(error)] });
    }
  };
  const button = (text: string, onClick: () => Promise<void>) =>
    React.createElement('button', { key: text, onClick, style: { marginRight: 8 } }, text);
  const lines = shown?.uid === uid ? shown?.lines : undefined;
  return [
    button('What is deleted with it?', ask(deletedWith)),
    button('Why is it still there?', ask(whyThere)),
    React.createElement('pre', { style: { whiteSpace: 'pre-wrap' } }, lines?.join('\n')),
  ];
}

function Section({ resource }: { readonly resource?: Resource }): unknown {
  const questions = useQuestions(resource?.jsonData);
  if (!resource) return null;
  return React.createElement(CommonComponents.SectionBox, { title }, ...questions);
}

/** Headlamp shows no section of a plugin on the page of a custom resource: a button there opens it. */
function Action({ item }: { readonly item?: Resource }): unknown {
  const [open, setOpen] = React.useState(false);
  const questions = useQuestions(item?.jsonData);
  if (!item || !location.href.includes('/customresources/')) return null;
  const dialog = { title, open, onClose: () => setOpen(false) };
  return React.createElement(
    'span',
    null,
    React.createElement('button', { onClick: () => setOpen(true) }, title),
    React.createElement(
      CommonComponents.Dialog,
      dialog,
      React.createElement('div', { style: { padding: 16 } }, ...questions),
    ),
  );
}

pluginLib.registerDetailsViewSection(Section);
pluginLib.registerDetailsViewHeaderAction(Action);
