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

export interface GcErrorOptions {
  /** Stable kebab-case identifier, e.g. `unknown-type`. */
  readonly code: string;
  readonly exitCode?: ExitCode;
  /** What the reader can do now; printed below the message, one per line. */
  readonly suggestions?: readonly string[];
  readonly cause?: unknown;
}

/** The one error that reaches a user: what happened and why in `message`, what to do in `suggestions`. */
export class GcError extends Error {
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly suggestions: readonly string[];

  constructor(message: string, options: GcErrorOptions) {
    super(message, { cause: options.cause });
    this.name = 'GcError';
    this.code = options.code;
    this.exitCode = options.exitCode ?? exitCodes.failed;
    this.suggestions = options.suggestions ?? [];
  }
}

export function isGcError(error: unknown): error is GcError {
  return error instanceof GcError;
}

/** What an error of any making says; whatever else was thrown, as a string. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Wrong flags, arguments, settings or scenario: exit code 2. */
export function usageError(code: string, message: string, ...suggestions: string[]): GcError {
  return new GcError(message, { code, exitCode: exitCodes.usage, suggestions });
}
