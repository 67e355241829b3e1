import { linesBefore, ParseFailure } from './parse-failure.ts';

/** Parses JSON; throws ParseFailure. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8 quotes the text around the fault: only the position may be used.
    const position = /at position (\d+)/.exec(String(error))?.[1];
    throw new ParseFailure('invalid JSON', linesBefore(text, Number(position ?? 0)));
  }
}
