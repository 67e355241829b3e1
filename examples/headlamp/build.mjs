// Builds the plugin into dist/main.js, beside the package.json that Headlamp asks for: node examples/headlamp/build.mjs
import { copyFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const to = process.argv[2] ?? here('dist');
const bundle = await rolldown({
  input: here('plugin.ts'),
  platform: 'browser',
  // Tables are for terminals.
  plugins: [
    {
      name: 'without-tables',
      resolveId: (id) => (id === 'cli-table3' ? 'no-tables' : undefined),
      load: (id) => (id === 'no-tables' ? 'export default undefined;' : undefined),
    },
  ],
});
const { output } = await bundle.generate({ format: 'iife', minify: true });
const [{ code }] = output;
if (/node:|require\(/.test(code)) throw new Error('the plugin would need Node');
mkdirSync(to, { recursive: true });
await bundle.write({ format: 'iife', minify: true, file: `${to}/main.js` });
copyFileSync(here('package.json'), `${to}/package.json`);
