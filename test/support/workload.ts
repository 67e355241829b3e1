/** The body of a Deployment or StatefulSet `name`: its pods have the label `app: name` and one container, which never runs here. */
export function workload(name: string, spec: object = {}, image = `example.com/${name}:1`) {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image }] } },
      ...spec,
    },
  };
}
