/** What a program exits with; the table of README.md. */
export const exitCodes = {
  ok: 0,
  findings: 1,
  usage: 2,
  failed: 3,
  incomplete: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A sentence, or a command and what it is for: what prints it adds the flags of its call. */
export type Suggestion = string | SuggestedCommand;

export interface SuggestedCommand {
  readonly to: string;
  readonly command: { readonly words: readonly string[] };
  /** Both, without the flags of any call. */
  readonly text: string;
}

export interface GcErrorOptions {
  /** Stable kebab-case identifier, e.g. `unknown-type`. */
  readonly code: string;
  readonly exitCode?: ExitCode;
  /** What the reader can do now; printed below the message, one per line. */
  readonly suggestions?: readonly Suggestion[];
  readonly cause?: unknown;
}

/** The one error that reaches a user: what happened and why in `message`, what to do in `suggestions`. */
export class GcError extends Error {
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly suggestions: readonly string[];
  /** The same, with commands that are still to be printed. */
  readonly advice: readonly Suggestion[];

  constructor(message: string, options: GcErrorOptions) {
    super(message, { cause: options.cause });
    this.name = 'GcError';
    this.code = options.code;
    this.exitCode = options.exitCode ?? exitCodes.failed;
    this.advice = options.suggestions ?? [];
    this.suggestions = this.advice.map((one) => (typeof one === 'string' ? one : one.text));
  }
}

/** The same error with this advice. */
export function withAdvice(error: GcError, suggestions: readonly Suggestion[]): GcError {
  const { message, code, exitCode, cause } = error;
  return new GcError(message, { code, exitCode, cause, suggestions });
}

export function isGcError(error: unknown): error is GcError {
  return error instanceof GcError;
}

/** What an error of any making says; whatever else was thrown, as a string. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Wrong flags, arguments, settings or scenario: exit code 2. `code`: where something goes by it. */
export function usageError(
  message: string,
  suggestions: readonly Suggestion[] = [],
  code = 'usage',
): GcError {
  return new GcError(message, { code, exitCode: exitCodes.usage, suggestions });
}
