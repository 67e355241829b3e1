import { usageError } from '../../errors.ts';
import { noRules, parseGuardRules } from '../../guard/guard-rules.ts';
import { type GuardOptions, runGuard } from '../../guard/run-guard.ts';
import { prometheusText } from '../../output/prometheus-text.ts';
import { flagsIn, repeatedFlag, textFlag } from '../../shell/flags/flag-kinds.ts';
import { inSteadyHeap } from '../../shell/input/in-small-heap.ts';
import { readDocument, readText } from '../../shell/input/read-document.ts';
import { listenAddress, startMetricsServer } from '../../shell/metrics-server.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { writeErr } from '../../shell/terminal/streams.ts';

/** Milliseconds after which a probe of /healthz fails where nothing was published. */
const healthyFor = 60_000;

export default class Guard extends GcCommand {
  static override summary = 'Warn every client of what its DELETE deletes (webhook)';
  static override description = [
    'An admission webhook server: it watches the cluster, answers each DELETE with warnings that kubectl prints, and',
    'refuses those that break a rule of --rules and are not approved. It changes nothing but the certificate in its own',
    'webhook configuration. docs/guard.md shows how to install it.',
  ].join(' ');
  static override usage = '<%= command.id %> [--serve ADDRESS] [--rules FILE] [--name NAME]...';
  static override examples = [
    '<%= config.bin %> guard --name kubectl-gc-guard.kubectl-gc.svc',
    '<%= config.bin %> guard --serve 127.0.0.1:8443 --name 127.0.0.1',
    '<%= config.bin %> guard --serve 127.0.0.1:8443 --metrics 127.0.0.1:9465 --name 127.0.0.1',
  ];
  static override flags = {
    serve: textFlag('ADDRESS', 'answer AdmissionReviews at this address (default: :8443)'),
    metrics: textFlag('ADDRESS', 'serve /metrics at this address, as in :9465'),
    rules: textFlag(
      'FILE',
      'rules that warn of deletions or refuse them; read again when it changes',
    ),
    ...flagsIn('CERTIFICATE', {
      name: repeatedFlag('NAME', 'host name or IPv4 address under which the API server reaches it'),
      'webhook-configuration': textFlag(
        'NAME',
        'ValidatingWebhookConfiguration that has to trust it (default: kubectl-gc-guard)',
      ),
      'tls-cert-file': textFlag('FILE', 'certificate to serve instead of a generated one', {
        dependsOn: ['tls-private-key-file'],
      }),
      'tls-private-key-file': textFlag('FILE', 'private key of --tls-cert-file', {
        dependsOn: ['tls-cert-file'],
      }),
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Guard);
    const { rules, 'tls-cert-file': certificate, 'tls-private-key-file': key } = flags;
    if (flags.from)
      throw usageError('guard watches a cluster, not files: no API server asks about files', [
        'Leave out --from.',
      ]);
    const names = flags.name ?? [];
    if (certificate === undefined && names.length === 0) {
      throw usageError('the certificate needs a name: the API server checks it', [
        'Give --name with the host name or address under which the API server reaches it, or --tls-cert-file.',
      ]);
    }
    const address = listenAddress(flags.serve ?? ':8443', '--serve');
    const session = this.session(flags);
    session.expectWatches();
    this.endTelling();
    const metrics =
      flags.metrics === undefined
        ? undefined
        : await startMetricsServer(flags.metrics, '--metrics');
    const options: GuardOptions = {
      ...address,
      names,
      configuration: flags['webhook-configuration'] ?? 'kubectl-gc-guard',
      readKeyPair:
        certificate === undefined || key === undefined
          ? undefined
          : async () => ({
              certificate: await readText(certificate, 'certificate'),
              key: await readText(key, 'private key'),
            }),
      readRules: async () =>
        rules === undefined ? noRules : parseGuardRules(await readDocument(rules, 'rules'), rules),
      report: writeErr,
      publish: (all) => metrics?.publish(prometheusText(all), healthyFor),
    };
    try {
      const client = await session.client(true);
      await withInterruption((signal) => inSteadyHeap(() => runGuard(client, options, signal)));
    } finally {
      await metrics?.close();
    }
  }
}
