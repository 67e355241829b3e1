import { type CommandManifest, describeCommands } from './manifest.ts';

/** The manifest of all commands. The bundle has this module replaced by its result, so that no command is loaded for it. */
export const manifest: readonly CommandManifest[] = await describeCommands();
