/** Enough to recognise a document. */
const headLength = 200;

/** Do bytes, compressed or not, begin as a document that kubectl gc wrote? */
export async function beginsAs(
  kind: 'Plan' | 'Snapshot',
  bytes: AsyncIterable<Buffer>,
): Promise<boolean> {
  // To write such a document takes nothing else of what reads files.
  const { unpacked } = await import('./input-bytes.ts');
  let head = '';
  try {
    for await (const chunk of unpacked(bytes)) {
      head += chunk.toString('utf8');
      if (head.length >= headLength) break;
    }
  } catch {
    // What cannot be unpacked is judged by what could; those who read it all say what is wrong.
  }
  return new RegExp(
    `^\\s*\\{\\s*"apiVersion":\\s*"kubectl-gc/v\\d+",\\s*"kind":\\s*"${kind}"`,
  ).test(head);
}
