import { InputContents } from '../files/input-contents.ts';
import { ObjectReader } from '../files/object-reader.ts';
import { ParseFailure } from '../files/parsing/parse-json.ts';
import { splitYaml } from '../files/parsing/parse-yaml.ts';
import { yamlValue } from '../files/parsing/yaml-value.ts';
import { readValue } from '../files/read-value.ts';
import { snapshotOf } from '../files/snapshot-of-contents.ts';
import { builtInTypes } from '../kube/built-in-types.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** The cluster that a text describes: what does not stand in it does not exist. What cannot be read is a gap. */
export function snapshotOfText(text: string, now: Date): Snapshot {
  const contents = new InputContents(builtInTypes);
  const reader = new ObjectReader('text', contents);
  for (const document of splitYaml(text)) {
    try {
      const value = yamlValue(document.text);
      // Nothing but comments reads as null.
      if (value !== null) readValue(reader, value, document.line);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      reader.problem('unreadable', error.message, document.line + error.lines);
      contents.lost.addNamedIn(document.text);
    }
  }
  contents.problems.push(...reader.problems());
  return snapshotOf(contents, ['text'], { now: () => now, complete: true });
}
