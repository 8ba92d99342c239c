// Typography of the pages: titles, the width of prose, the outline of headings, names of tables, and long messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange } from '../../lib/chat.js';
import { Chat } from '../lib/chat.js';
import { sticksOut } from '../lib/look.js';
import { answers, DESKTOP, phone, stage, until } from '../lib/stage.js';

const { alfred, provider, open } = await stage();
const anna = await alfred.admin('anna');

const ANSWER = `# One

${'Words of a paragraph that takes more than one line on every page of this size. '.repeat(4)}

## Two

- ${'an item that is long enough to reach the end of its line and to go on below it '.repeat(3)}

| place | height |
|-------|--------|
| Brest | 7.9 m  |

$$e = mc^2$$

### Three

> ${'A quote that is long enough to reach the end of its line and to go on below it. '.repeat(3)}`;
const { session } = await exchange(anna, provider, 'How high is the tide?', ANSWER);
const LONG = 'A line that somebody pasted.\n\n'.repeat(1000);

const PAGES = ['/sessions', '/search', '/search?q=tide', '/memory', '/tasks', '/account', '/data', '/admin/users', '/admin/jobs', '/admin/telegram', '/admin/outbox', '/connect', `/s/${session}/summary`];

for (const [where, options] of [['a phone', phone], ['a desktop', { viewport: { ...DESKTOP, width: 1440 } }]]) {
    test(`the title of a page is its largest text and begins where the text below it begins, on ${where}`, async (t) => {
        const page = await open(t, { as: anna, ...options });
        for (const path of PAGES) {
            await page.goto(path);
            const [title, largest, column] = await page.locator('main').evaluate((main) => {
                const size = (el) => parseFloat(getComputedStyle(el).fontSize);
                const h1 = main.querySelector('h1');
                const below = [...main.querySelectorAll('*')].filter((el) => el !== h1 && el.checkVisibility() && [...el.childNodes].some((n) => n.nodeType === 3 && n.data.trim()));
                const inner = main.getBoundingClientRect().left + parseFloat(getComputedStyle(main).paddingLeft);
                return [size(h1), Math.max(...below.map(size)), h1.getBoundingClientRect().left - inner];
            });
            assert.ok(title > largest, `${path}: ${title} and ${largest}`);
            assert.ok(Math.abs(column) < 1, `${path}: ${column} px beside the column`);
        }
    });
}

for (const [where, options] of [['a phone', phone], ['a desktop', { viewport: { ...DESKTOP, width: 1440 } }]]) {
    test(`the title of a conversation is its largest text, on ${where}`, async (t) => {
        const page = await open(t, { as: anna, path: `/s/${session}`, ...options });
        await page.locator('.katex-display').waitFor();
        const [title, largest, left, column] = await page.evaluate(() => {
            const size = (el) => parseFloat(getComputedStyle(el).fontSize);
            const h1 = document.querySelector('h1');
            const others = [...document.querySelectorAll('body *')].filter((el) => el !== h1 && el.checkVisibility() && !el.closest('.katex') && [...el.childNodes].some((n) => n.nodeType === 3 && n.data.trim()));
            return [size(h1), Math.max(...others.map(size)), h1.getBoundingClientRect().left, document.querySelector('#transcript').getBoundingClientRect().left];
        });
        assert.ok(title > largest, `${title} and ${largest}`);
        if (where === 'a desktop') assert.ok(Math.abs(left - column) < 1, `the title begins at ${left}, the column at ${column}`);
    });
}

test('prose has one width, a formula stands in its middle, and a long one uses the whole column', async (t) => {
    const page = await open(t, { as: anna, path: `/s/${session}`, viewport: { ...DESKTOP, width: 1440 } });
    await page.locator('.katex-display').waitFor();
    const box = (selector) => page.locator(`.answer ${selector}`).first().evaluate((el) => {
        const { left, right } = el.getBoundingClientRect();
        return { left, right };
    });
    const prose = await box('p');
    for (const selector of ['ul', 'blockquote', '.math[data-display]']) assert.deepEqual(await box(selector), prose, selector);
    const formula = await box('.katex-html');
    assert.equal(await page.locator('.katex-mathml').first().evaluate((el) => getComputedStyle(el).position), 'absolute', 'a formula is shown once: its form for screen readers is clipped');
    assert.ok(Math.abs((formula.left + formula.right) / 2 - (prose.left + prose.right) / 2) < 2, JSON.stringify([formula, prose]));
    assert.ok(prose.right - prose.left < 760);
});

test('the headings of answers are below that of their message, which is below the title', async (t) => {
    const page = await open(t, { as: anna, path: `/s/${session}` });
    assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
    const outline = await page.locator('h1, #transcript :is(h2, h3, h4, h5, h6)').evaluateAll((all) => all.map((el) => `${el.tagName} ${el.textContent}`));
    assert.deepEqual(outline.slice(1), ['H2 You said', 'H2 Alfred said', 'H3 One', 'H4 Two', 'H5 Three']);
});

test('a table is named by its head', async (t) => {
    const page = await open(t, { as: anna, path: `/s/${session}` });
    await page.getByRole('region', { name: 'place, height' }).getByRole('cell', { name: 'Brest' }).waitFor();
});

for (const javaScriptEnabled of [true, false]) {
    test(`of a long question the beginning is shown, and a button shows the rest, ${javaScriptEnabled ? 'with' : 'without'} script`, async (t) => {
        const long = await exchange(anna, provider, LONG, LONG);
        const page = await open(t, { as: anna, path: `/s/${long.session}`, javaScriptEnabled });
        const chat = new Chat(page);
        const height = async () => (await chat.question.locator('.bubble').boundingBox()).height;
        assert.ok((await height()) <= 400);
        const button = page.locator('.unfold > summary').filter({ hasText: 'Show the whole message' });
        await button.focus();
        await page.keyboard.press('Enter');
        if (!javaScriptEnabled) { // the page has a part of a text of more than 20 KB, and a link to all of it
            await chat.question.locator('.bubble').getByRole('link', { name: 'Show the whole message' }).click();
            await button.focus();
            await page.keyboard.press('Enter');
        }
        await until('the rest is shown', async () => (await height()) > 10_000);
        await page.locator('.unfold[open] > summary').press('Enter');
        assert.ok((await height()) <= 400);
        assert.ok((await chat.answer.boundingBox()).height > 10_000, 'an answer is shown completely');
    });
}

test('of a folded question its end is shown, too: what was typed behind a pasted log', async (t) => {
    const log = Array.from({ length: 60 }, (_, i) => `10:00:${i} worker ${i}: connection lost`).join('\n');
    for (const [text, begin, end] of [
        [`Here is the log:\n\n${log}\n\nWhy does it lose the connection?\n\nAnd what do I change?`, 'Here is the log:', ['Why does it lose the connection?', 'And what do I change?']],
        [`${log}\nWhy does it stop?`, '10:00:0 worker 0', ['Why does it stop?', '10:00:59 worker 59', '10:00:55 worker 55']],
        [`Here:\n\`\`\`\n${log}\n\`\`\`\nWhy is that?`, 'Here:', ['Why is that?']],
        [`Here:\n\`\`\`\n${log}\n\`\`\``, 'Here:', []]]) {
        const sent = await exchange(anna, provider, text, 'Well.');
        const page = await open(t, { as: anna, path: `/s/${sent.session}` });
        const bubble = new Chat(page).question.locator('.bubble');
        const { y, height } = await bubble.boundingBox();
        assert.ok(height <= 400, `${height} px`);
        for (const words of [begin, ...end]) {
            const box = await bubble.evaluate((el, part) => {
                const walk = document.createTreeWalker(el, NodeFilter.SHOW_TEXT), range = document.createRange();
                for (let node = walk.nextNode(); node; node = walk.nextNode()) {
                    const at = node.data.indexOf(part);
                    if (at < 0) continue;
                    range.setStart(node, at);
                    range.setEnd(node, at + part.length);
                    const { top, bottom } = range.getBoundingClientRect();
                    const shown = node.parentElement.closest('.folded')?.getBoundingClientRect().bottom ?? Infinity;
                    return { top, bottom, shown };
                }
                return null;
            }, words);
            assert.ok(box && box.top >= y && box.bottom <= Math.min(y + height, box.shown), `${words}: ${JSON.stringify(box)}`);
        }
        assert.equal(await bubble.locator('> :last-child:not(.folded)').count(), end.length ? 1 : 0);
        await page.locator('.unfold > summary').click();
        assert.ok((await bubble.boundingBox()).height > 1000);
    }
});

test('of a pasted log the beginning is shown, and what a user pastes between fences is a code block', async (t) => {
    const page = await open(t, { as: anna, permissions: ['clipboard-read', 'clipboard-write'] });
    const chat = new Chat(page);
    await chat.exchange(provider, answers('Well.'), `What is wrong?${'\n10:00 worker: done'.repeat(31)}`);
    const { y, height } = await chat.question.locator('.bubble').boundingBox(), bar = await page.locator('.bar').boundingBox();
    assert.ok(height <= 400);
    assert.ok(y >= bar.y + bar.height, `its first line is at ${y}, below the bar`);
    await chat.exchange(provider, answers('Well.'), `Why?\n\`\`\`js\n${'let *a* = 1;\n'.repeat(20)}\`\`\`\nSee https://a.example/b.`);
    assert.equal(await chat.question.locator('.unfold').count(), 0, '24 lines');
    await chat.question.locator('.hljs-keyword').first().waitFor();
    await chat.question.getByRole('button', { name: 'Copy', exact: true }).first().click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'let *a* = 1;\n'.repeat(20));
    assert.equal(await chat.question.getByRole('link', { name: 'https://a.example/b' }).getAttribute('rel'), 'noopener noreferrer nofollow');
    assert.equal(await chat.question.locator('.code-open').count(), 0, 'beside the conversation opens what Alfred wrote');
});

test('a long answer is shown completely, also when it comes back', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, async (call) => {
        await call.start();
        await call.text(LONG);
        await call.end();
    }, 'Tell me all');
    assert.ok((await chat.answer.boundingBox()).height > 10_000);
    await page.reload();
    assert.ok((await chat.answer.boundingBox()).height > 10_000);
    assert.equal(await page.locator('.unfold').count(), 0);
});

test('the dates below a plot fit a narrow window in the largest text, also the longest ones', async (t) => {
    const page = await open(t, { as: anna, path: '/usage', ...phone, viewport: { width: 320, height: 640 }, locale: 'de-DE' });
    await page.evaluate(() => { document.documentElement.style.fontSize = '125%'; });
    await page.locator('.plot-axis').first().evaluate((axis) => { [...axis.children].forEach((el, i) => { el.textContent = ['30. September 2026', 'höchster Wert: 1.000.000', 'Heute'][i]; }); });
    assert.deepEqual(await sticksOut(page), []);
});
