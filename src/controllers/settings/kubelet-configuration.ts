import { kubeletsNotAsked, type SettingsFacts } from './settings-facts.ts';

/** A kubelet's KubeletConfiguration in force, or why it is not known. */
export type Configz =
  | { readonly node: string; readonly configuration: unknown }
  | { readonly node: string; readonly because: string };

export const kubeletsForbidden = 'reading the settings of kubelets needs "get" on nodes/proxy';
export const kubeletsSilent = 'their kubelets gave no answer';

/** The same of all nodes that settings are known of: of kubelets that were not asked, why. */
export function configzIn({ programs, problems }: SettingsFacts): (node: string) => Configz {
  const byNode = new Map(
    programs.flatMap((program) =>
      program.component === 'kubelet' ? [[program.instance, program] as const] : [],
    ),
  );
  const isForbidden = problems.some(
    ({ reason, resource }) => reason === 'forbidden' && resource === 'nodes/proxy',
  );
  return (node) => {
    const program = byNode.get(node);
    if (!program) return { node, because: kubeletsNotAsked };
    const configuration = program.configuration?.fields;
    if (configuration) return { node, configuration };
    return { node, because: isForbidden ? kubeletsForbidden : kubeletsSilent };
  };
}
