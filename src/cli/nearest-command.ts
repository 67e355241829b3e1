import { distance } from '../kube/type-argument.ts';

/** The command or topic a mistyped word was probably meant to be, as it is typed (`snapshot save`). */
export function nearestCommand(
  word: string,
  commands: readonly { readonly id: string; readonly aliases: readonly string[] }[],
): string | undefined {
  const close = commands
    .flatMap(({ id, aliases }) => [id, id.split(':')[0] ?? id, ...aliases])
    .map((name) => ({ name, off: distance(word, name) }))
    .filter(({ off }) => off <= Math.max(2, Math.floor(word.length / 3)))
    .sort((a, b) => a.off - b.off)[0];
  return close?.name.replaceAll(':', ' ');
}
