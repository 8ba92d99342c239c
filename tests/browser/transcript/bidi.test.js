// Right-to-left text, and text with directional characters: the page around it keeps its order, and lists, quotes and
// tables follow their text.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange } from '../../lib/chat.js';
import { Chat } from '../lib/chat.js';
import { answers, stage } from '../lib/stage.js';

const { alfred, provider, open } = await stage();
const anna = await alfred.admin('anna');

const HEBREW = 'שלום עולם';
const OVERRIDE = '\u202e'; // the following text runs from right to left, up to the end of its block or isolate
const HOSTILE = `abc ${OVERRIDE}def`;

/**
 * The positions of pieces of an element's text, in pixels from the left. Each piece is searched in the text of the page.
 * @returns {Promise<{left: number, right: number}[]>}
 */
const places = (locator, ...pieces) =>
    locator.evaluate((el, wanted) => {
        const nodes = [];
        const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
        let all = '';
        while (walker.nextNode()) {
            nodes.push({ node: walker.currentNode, at: all.length });
            all += walker.currentNode.data;
        }
        const point = (at) => {
            const { node, at: from } = nodes.findLast((n) => n.at <= at);
            return [node, at - from];
        };
        let from = 0;
        return wanted.map((piece) => {
            const at = all.indexOf(piece, from);
            if (at < 0) throw new Error(`no ${JSON.stringify(piece)} in ${JSON.stringify(all)}`);
            from = at + piece.length;
            const range = document.createRange();
            range.setStart(...point(at));
            const [node, end] = point(from - 1);
            range.setEnd(node, end + 1);
            const { left, right } = range.getBoundingClientRect();
            return { left, right };
        });
    }, pieces);

/** The pieces are in order, from left to right. */
async function inOrder(locator, ...pieces) {
    const at = await places(locator, ...pieces);
    for (let i = 1; i < at.length; i++)
        assert.ok(at[i - 1].right <= at[i].left + 1, `${JSON.stringify(pieces)}: ${JSON.stringify(at)}`);
}

/** Renames a session, as its owner would. */
async function rename(session, title) {
    assert.equal((await anna.request('PATCH', `/api/sessions/${session}`, { json: { title } })).status, 200);
}

test('the words around a search query keep their order', async (t) => {
    const page = await open(t, { as: anna });
    for (const [q, shown] of [[`${HEBREW} 123`, HEBREW], [HOSTILE, 'abc'], [`\u2069${OVERRIDE}abc`, 'abc']]) {
        await page.goto(`/search?q=${encodeURIComponent(q)}`);
        await inOrder(page.locator('.none-title'), 'Nothing found for', '“', shown, '”');
        await page.goto(`/sessions?q=${encodeURIComponent(q)}`);
        await inOrder(page.locator('.none-title'), 'No title or topic contains', '“', shown, '”');
    }
});

test('a title does not reorder text beside it: in the sidebar, the lists and the title of the page', async (t) => {
    const { session } = await exchange(anna, provider, 'Hello', 'Hello.');
    for (const title of [`${HEBREW} (1)`, `${HEBREW} ${OVERRIDE}`, `\u2067\u2069${OVERRIDE}${HEBREW}`]) {
        await rename(session, title);
        const page = await open(t, { as: anna, path: `/s/${session}` });
        assert.equal(await page.locator('#session-title').evaluate((el) => getComputedStyle(el).direction), 'rtl');
        assert.equal(await page.locator('#sessions-nav .row-title').first().evaluate((el) => getComputedStyle(el).direction), 'rtl');
        assert.match(await page.title(), /^\u2068[^\u2066-\u2069\u202e]*שלום עולם[^\u2066-\u2069\u202e]*\u2069 · Alfred$/);
        await page.goto('/sessions');
        await inOrder(page.locator('#session-list .item-sub').last(), 'just now', '2 messages');
    }
});

test('a workspace and a name do not reorder text beside them', async (t) => {
    const { session } = await exchange(anna, provider, 'Hello', 'Hello.');
    const workspace = `${HEBREW}${OVERRIDE} 7`;
    assert.equal((await anna.request('PATCH', `/api/sessions/${session}`, { json: { workspace } })).status, 200);
    const page = await open(t, { as: anna, path: '/sessions' });
    await inOrder(page.locator('#session-list .item-sub').filter({ hasText: HEBREW }), '2 messages', HEBREW);
    await page.getByRole('navigation', { name: 'Workspaces' }).getByRole('link', { name: HEBREW }).click();
    await inOrder(page.getByRole('link', { name: /^New chat in/ }), 'New chat in', HEBREW);
    await page.goto(`/?workspace=${encodeURIComponent(`${HEBREW} 7`)}`);
    await inOrder(page.locator('.hello-text'), 'workspace', HEBREW, '.');
});

const MIXED = `# ${HEBREW}

${HEBREW} with English.

English with ${HEBREW}!

- ${HEBREW}
- English
- [ ] ${HEBREW}

> ${HEBREW}

| ${HEBREW} | b |
|---|---|
| 1 | ${HEBREW} |

- English
- ${HEBREW} \`a(b)\`

\`\`\`
f(x); // ${HEBREW}
\`\`\`

${HEBREW} $a+b$`;

/** Checks that a page shows the parts of MIXED correctly. */
async function followsItsText(answer) {
    const style = (selector, name, at = 0) => answer.locator(selector).nth(at).evaluate((el, key) => getComputedStyle(el)[key], name);
    assert.equal(await style('h3', 'direction'), 'rtl');
    assert.deepEqual([await style('p', 'direction', 0), await style('p', 'direction', 1)], ['rtl', 'ltr']);
    await inOrder(answer.locator('p').nth(1), 'English with', HEBREW, '!');
    // The marks of a list and the line of a quote are on the side where their text begins.
    assert.deepEqual([await style('ul', 'paddingRight', 0), await style('ul', 'paddingLeft', 0)], ['24px', '0px']);
    assert.deepEqual([await style('ul', 'paddingRight', 1), await style('ul', 'paddingLeft', 1)], ['0px', '24px']);
    assert.deepEqual([await style('blockquote', 'borderRightWidth'), await style('blockquote', 'borderLeftWidth')], ['3px', '0px']);
    // The first column is the right one.
    const [first, second] = await answer.locator('th').evaluateAll((cells) => cells.map((el) => el.getBoundingClientRect().left));
    assert.ok(first > second, `${first} ${second}`);
    // An item of the other direction is beside its mark and has its own direction.
    const [item] = await places(answer.locator('ul').nth(0).locator('li').nth(1), 'English');
    const [above] = await places(answer.locator('ul').nth(0).locator('li').nth(0), HEBREW);
    assert.equal(Math.round(item.right), Math.round(above.right));
    const [hebrew, code] = await places(answer.locator('ul').nth(1).locator('li').nth(1), HEBREW, 'a(b)');
    assert.ok(code.right <= hebrew.left + 1, JSON.stringify([hebrew, code]));
    await inOrder(answer.locator('ul').nth(1).locator('code'), 'a', '(', 'b', ')');
    assert.equal(await style('pre', 'direction'), 'ltr');
    await inOrder(answer.locator('pre'), 'f(x);', '//');
}

test('paragraphs, lists, quotes and tables follow their text, live and after a reload', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, answers(MIXED, 9), `${HEBREW}, (1)\n\nEnglish (2)`);
    await chat.answer.locator('.math.done').waitFor();
    await followsItsText(chat.answer);
    await page.reload();
    await chat.answer.locator('.math.done').waitFor();
    await followsItsText(chat.answer);
    const directions = await chat.question.locator('.bubble p').evaluateAll((all) => all.map((el) => getComputedStyle(el).direction));
    assert.deepEqual(directions, ['rtl', 'ltr']);
    for (const [width, scheme] of [[1440, 'light'], [360, 'dark']]) {
        if (!process.env.SHOTS) break;
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 1500 });
        await page.screenshot({ path: `${process.env.SHOTS}/bidi-${width}-${scheme}.png` });
    }
});

test('typed text has the direction of its first letter', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.write(HEBREW);
    assert.equal(await chat.box.evaluate((el) => getComputedStyle(el).direction), 'rtl');
    await chat.write('English');
    assert.equal(await chat.box.evaluate((el) => getComputedStyle(el).direction), 'ltr');
});
