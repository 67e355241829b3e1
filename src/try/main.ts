import './browser-buffer.ts';
import { isGcError } from '../errors.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { apiVersionOf } from '../kube/resource-type.ts';
import { printable, printedName } from '../output/printable.ts';
import { App } from '../page/app.ts';
import { html } from '../page/make-element.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { type Choice, deletionPage, snapshotOfText } from './answer.ts';
import { examples } from './examples.ts';

/** Texts of this length are played in seconds. */
const longestManifest = 4 * 1024 * 1024;

const element = <E extends Element>(selector: string): E => {
  const found = document.querySelector<E>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
};

const manifestInput = element<HTMLTextAreaElement>('#text');
const example = element<HTMLSelectElement>('#example');
const target = element<HTMLSelectElement>('#target');
const policy = element<HTMLSelectElement>('#policy');
const fault = element<HTMLOutputElement>('#fault');

let app: App | undefined;
let snapshot: Snapshot | undefined;

/** Reads the text again, and keeps the object that was chosen, if it is still there. */
function readText(): void {
  const before = target.selectedOptions[0]?.textContent;
  snapshot = undefined;
  attempt(() => {
    if (manifestInput.value.length > longestManifest)
      throw new RangeError('The text is too long for a page.');
    snapshot = snapshotOfText(manifestInput.value, new Date());
    const names = snapshot.records.map(targetName);
    target.replaceChildren(
      ...names.map((name, at) => html('option', { value: at, selected: name === before }, name)),
    );
    if (names.length === 0) throw new RangeError('The text contains no Kubernetes object.');
  });
  showPlayed();
}

function showPlayed(): void {
  const record = snapshot?.records[Number(target.value)];
  if (!snapshot || !record) return;
  const known = snapshot;
  attempt(() => {
    const data = deletionPage(known, record, policy.value as Choice);
    if (app) app.replace(data);
    else app = new App(data, element('#app'), element('#rows'));
  });
}

/** An error is shown on the page: it concerns the pasted text. */
function attempt(work: () => void): void {
  fault.value = '';
  try {
    work();
  } catch (error) {
    const isOurs = isGcError(error) || error instanceof RangeError;
    fault.value = printable(isOurs ? error.message : `This could not be played: ${error}`);
  }
}

function targetName({ type, name, namespace }: ObjectRecord): string {
  const named = printedName({ apiVersion: apiVersionOf(type), kind: type.kind, name });
  return namespace === '' ? named : `${named} -n ${printable(namespace)}`;
}

function takeExample(): void {
  const taken = examples[Number(example.value)];
  if (!taken) return;
  manifestInput.value = taken.text;
  target.replaceChildren(html('option', {}, taken.target));
  policy.value = taken.policy;
  readText();
}

example.append(...examples.map(({ title }, at) => html('option', { value: at }, title)));
example.addEventListener('change', takeExample);
manifestInput.addEventListener('change', readText);
target.addEventListener('change', showPlayed);
policy.addEventListener('change', showPlayed);
takeExample();
