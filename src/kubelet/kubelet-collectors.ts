/** The collectors that run in kubelets, and not in kube-controller-manager. */
export const kubeletCollectors: readonly string[] = ['image-gc', 'container-gc'];
