import type { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';

type CommandClass = Omit<typeof Command, 'prototype'> &
  (new (
    argv: string[],
    config: Config,
  ) => Command & { runToEnd(): Promise<unknown> });

type CommandModule = { readonly default: CommandClass };

/** Every command by its id: one file each, loaded when it is called. `snapshot save` is `snapshot:save`. */
export const commands: Readonly<Record<string, () => Promise<CommandModule>>> = {
  status: () => import('./status.ts'),
  owners: () => import('./owners.ts'),
  tree: () => import('./tree.ts'),
  view: () => import('./view/view.ts'),
  orphans: () => import('./orphans/orphans.ts'),
  'invalid-ownerrefs': () => import('./invalid-ownerrefs/invalid-ownerrefs.ts'),
  delete: () => import('./delete/delete.ts'),
  deleted: () => import('./deleted/deleted.ts'),
  restore: () => import('./restore/restore.ts'),
  backups: () => import('./backups.ts'),
  simulate: () => import('./simulate/simulate.ts'),
  'podgc-preview': () => import('./podgc-preview.ts'),
  forecast: () => import('./forecast/forecast.ts'),
  images: () => import('./images.ts'),
  containers: () => import('./containers.ts'),
  'run-controllers': () => import('./run-controllers.ts'),
  why: () => import('./why/why.ts'),
  settings: () => import('./settings.ts'),
  audit: () => import('./audit/audit.ts'),
  report: () => import('./report/report.ts'),
  completion: () => import('./completion.ts'),
  mcp: () => import('./mcp/mcp.ts'),
  policies: () => import('./policies/policies.ts'),
  guard: () => import('./guard/guard.ts'),
  rbac: () => import('./rbac/rbac.ts'),
  'snapshot:save': () => import('./snapshot/save.ts'),
  'snapshot:info': () => import('./snapshot/info.ts'),
  'snapshot:diff': () => import('./snapshot/diff.ts'),
  'snapshot:export': () => import('./snapshot/export.ts'),
  options: () => import('./options.ts'),
  version: () => import('./version.ts'),
};

export const aliases: Readonly<Record<string, string>> = { 'cascade-delete': 'delete' };

/** What commands are called, other names among them. */
export const commandNames: readonly string[] = [...Object.keys(commands), ...Object.keys(aliases)];

export async function loadCommand(name: string) {
  const id = aliases[name] ?? name;
  const command = (await commands[id]?.())?.default;
  if (!command) throw new Error(`no command ${id}`);
  // oclif reads it off the class.
  command.id = id;
  return command;
}
