import { InputContents } from '../files/input-contents.ts';
import { ObjectReader } from '../files/object-reader.ts';
import { documentsIn } from '../files/parsing/documents.ts';
import { yamlValue } from '../files/parsing/yaml-value.ts';
import { readValue } from '../files/read-value.ts';
import { snapshotOfContents } from '../files/snapshot-of-contents.ts';
import { builtInTypes } from '../kube/built-in-types.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** The cluster that a text describes: what does not stand in it does not exist. What cannot be read is a gap. */
export function snapshotOfText(text: string, now: Date): Snapshot {
  const contents = new InputContents(builtInTypes);
  const reader = new ObjectReader('text', contents);
  for (const { value, fault, lost, line } of documentsIn(text, yamlValue)) {
    if (fault === undefined) readValue(reader, value, line);
    else {
      reader.problem('unreadable', fault, line);
      if (lost === undefined) contents.lost.addAnything();
      else contents.lost.addNamedIn(lost);
    }
  }
  contents.problems.push(...reader.problems());
  return snapshotOfContents(contents, ['text'], { now: () => now, complete: true });
}
