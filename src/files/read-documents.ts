import { decodedText } from './input-bytes.ts';
import { documentsIn, type ReadDocument } from './parsing/documents.ts';
import { yamlReader } from './parsing/parse-yaml.ts';

/** The documents of a file that is at hand, and not packed. */
export async function readDocuments(bytes: Uint8Array): Promise<readonly ReadDocument[]> {
  return documentsIn(decodedText(bytes), await yamlReader());
}
