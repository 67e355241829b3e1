// The packages whose code is in the bundles, with their licences, which must go wherever the code goes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const heading = /^={4} (\S+) (\S+) \((.+)\) ={4}$/gm;

/** A plugin that notes the folder of every package of which the bundle holds code. */
export function notePackages(folders) {
  return {
    name: 'note-packages',
    generateBundle(_, bundle) {
      for (const { modules = {} } of Object.values(bundle)) {
        for (const [id, { code }] of Object.entries(modules)) {
          const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace('\0', '')) ?? [];
          if (folder !== undefined && code) folders.add(folder);
        }
      }
    },
  };
}

/** One text with all licences, a heading for each package. */
export function thirdPartyText(folders) {
  const sections = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    if (typeof license !== 'string') throw new Error(`${name} does not say its licence`);
    return `==== ${name} ${version} (${license}) ====\n\n${licenceTexts(name, folder)}`;
  });
  const unique = [...new Set(sections)].sort();
  return `kubectl gc contains code of these packages.\n\n${unique.join('\n')}`;
}

function licenceTexts(name, folder) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  if (files.length > 0) {
    return files.map((file) => `${readFileSync(join(folder, file), 'utf8').trim()}\n`).join('\n');
  }
  const readme = ['README.md', 'readme.md'].map((file) => join(folder, file)).find(existsSync);
  const [, section] =
    /\n#+ licen[cs]e\s*\n([\s\S]+)/i.exec(readme ? readFileSync(readme, 'utf8') : '') ?? [];
  if (section === undefined) throw new Error(`${name} brings no text of its licence`);
  return `${section.trim()}\n`;
}

/** The packages that such a text names. */
export function packagesIn(text) {
  return Array.from(text.matchAll(heading), ([, name, version, license]) => ({
    name,
    version,
    license,
  }));
}
