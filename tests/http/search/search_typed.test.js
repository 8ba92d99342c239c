// Results while a query is typed, with the answers of a model.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange, provide, serveFile } from '../../lib/chat.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');

test('results while typing show the words of an answer, without Markdown', async () => {
    await exchange(anna, provider, 'Bake?', '## Dough\n\nThe **sourdough** rests for `2` days.');
    const { hits } = await anna.getJson('/page/search/typed?q=sourdough');
    assert.deepEqual(hits.map((hit) => hit.pieces.map((p) => p.text).join('')), ['Dough The sourdough rests for 2 days.']);
});
