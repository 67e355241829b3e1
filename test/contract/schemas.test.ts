import { expect, test } from 'vitest';
import { schemaPath, schemaTexts } from '../../scripts/schemas.ts';

test('the schemas say what the types of the documents say (npm run schemas writes them)', async () => {
  for (const [name, text] of schemaTexts()) {
    await expect(text).toMatchFileSnapshot(schemaPath(name));
  }
});
