import { validateKubeletConfiguration } from '../../../kubelet/configuration/validate-configuration.ts';
import type { AuditRule, AuditViolation } from '../audit-rule.ts';

/** Of all that a kubelet does not start with. */
const aboutImages = /^(invalid configuration: )?image(GC|Minimum|Maximum)/;

export const ineffectiveImageGc: AuditRule = {
  id: 'ineffective-image-gc',
  title: 'A kubelet whose settings keep it from removing images',
  severity: 'warning',
  consequence: 'no image is removed before the disk is so full that pods are evicted',
  advice:
    'Set imageGCHighThresholdPercent above imageGCLowThresholdPercent and below 100: the defaults are 85 and 80.',
  subjects: [],
  readsFacts: false,
  // Few users may query kubelets, and most audits are not about them.
  isOptional: true,
  check({ kubelets, cannotTell }) {
    for (const { object, because } of kubelets.unread) cannotTell(object, because);
    return kubelets.read.flatMap(({ object, configuration }): AuditViolation[] => {
      const { settings, problems } = validateKubeletConfiguration(configuration);
      const refused = problems.filter((problem) => aboutImages.test(problem));
      if (refused.length > 0) {
        return [
          {
            object,
            severity: 'error',
            message: refused.join('; '),
            consequence: 'the kubelet does not start with this configuration',
            fix: {
              summary:
                'set the low threshold below the high one, which is at most 100, and the maximum age above the minimum',
            },
          },
        ];
      }
      const { highThresholdPercent: high, maxAge } = settings.images;
      if (high < 100 || maxAge > 0) return [];
      return [
        {
          object,
          message: `imageGCHighThresholdPercent is ${high} and imageMaximumGCAge is 0: image garbage collection does not run`,
          fix: {
            summary: `set imageGCHighThresholdPercent below 100, the default is 85, or an imageMaximumGCAge, in the KubeletConfiguration of ${object.name}`,
          },
        },
      ];
    });
  },
};
