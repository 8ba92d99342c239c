// The button that quotes selected text of a message in the message box.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat, texts } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { answers, loaded, phone, stage, until } from '../lib/stage.js';

const { alfred, provider, open, asked } = await stage();
const anna = await alfred.admin('anna');
const en = texts('en'), de = texts('de');

const RICH = `The area is $a^2$ and **not** more, see \`area()\`.

3. third
4. fourth
   - inner

| place | height |
|-------|-------:|
| Brest | 7.9 m  |
| Nice  | 0.3 m  |

\`\`\`js
const a = 1;
const b = 2;
\`\`\`

ברוכים הבאים
`;

/** A session with one answer, as its address. */
const conversation = async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, answers(RICH), `What is the area? ${Math.random()}`);
    return new URL(page.url()).pathname;
};

const quoteButton = (page, l = en) => page.getByRole('button', { name: l.script_later.quote, exact: true });

/** Selects from the text `from` to the end of the text `to`, within `root`. */
const select = (page, from, to = from, root = '#transcript') => page.evaluate(([a, b, sel]) => {
    const nodes = [], walk = document.createTreeWalker(document.querySelector(sel), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) if (!walk.currentNode.parentElement.closest('textarea')) nodes.push(walk.currentNode);
    const first = nodes.find((n) => n.data.includes(a)), last = nodes.findLast((n) => n.data.includes(b));
    getSelection().setBaseAndExtent(first, first.data.indexOf(a), last, last.data.indexOf(b) + b.length);
}, [from, to, root]);

/** What the button writes into the empty box. */
async function quoted(page, chat) {
    await quoteButton(page).click();
    const text = await chat.box.inputValue();
    await chat.write('');
    return text;
}

test('selected text is quoted at the end of the box as Markdown: words, formulas, code, tables, lists', async (t) => {
    const page = await open(t, { as: anna, path: await conversation(t) });
    const chat = new Chat(page);
    await page.locator('.katex').first().waitFor();
    await loaded(page, 'chat/edit');
    await select(page, 'is ', ' more', '#transcript .answer');
    assert.equal(await quoted(page, chat), '> is $a^2$ and not more\n\n');
    assert.equal(await chat.box.evaluate((el) => el === document.activeElement && el.selectionStart === el.value.length), true, 'the focus and the caret are there');
    await quoteButton(page).waitFor({ state: 'detached' });
    await select(page, 'see', 'area()');
    assert.equal(await quoted(page, chat), '> see `area()`\n\n');
    await select(page, 'third', 'inner');
    assert.equal(await quoted(page, chat), '> 3. third\n> 4. fourth\n>    - inner\n\n');
    await select(page, 'fourth');
    assert.equal(await quoted(page, chat), '> fourth\n\n');
    await select(page, 'height', 'Nice');
    assert.equal(await quoted(page, chat), '> |  | height |\n> | --- | --- |\n> | Brest | 7.9 m |\n> | Nice |  |\n\n');
    await select(page, 'const', '1', '#transcript pre');
    assert.equal(await quoted(page, chat), '> ```js\n> const a = 1\n> ```\n\n');
    await select(page, 'Nice', 'ברוכים');
    assert.equal(await quoted(page, chat), '> | Nice | 0.3 m |\n> | --- | --- |\n>\n> ```js\n> const a = 1;\n> const b = 2;\n> ```\n>\n> ברוכים\n\n');
    // Text that is there stays, and what is quoted counts as pasted from its place on.
    await chat.write('My words');
    await select(page, 'הבאים');
    await quoteButton(page).click();
    assert.equal(await chat.box.inputValue(), 'My words\n\n> הבאים\n\n');
    assert.equal(await chat.box.getAttribute('data-pasted'), '10');
});

test('a sent quotation is shown as one, and its text can be quoted again', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, answers('Yes.'), '> the sea\n> rises\n\nIs it true?');
    assert.equal(await chat.question.locator('blockquote').innerText(), 'the sea\nrises');
    await page.reload();
    assert.equal(await chat.question.locator('blockquote').evaluate((el) => getComputedStyle(el).borderInlineStartWidth), '3px');
    await loaded(page, 'chat/edit');
    await select(page, 'rises');
    assert.equal(await quoted(page, chat), '> rises\n\n');
});

test('a selection across two messages quotes their texts, not what is between them', async (t) => {
    const page = await open(t, { as: anna, path: await conversation(t) });
    const chat = new Chat(page);
    await loaded(page, 'chat/edit');
    await select(page, 'the area', 'The area');
    assert.match(await quoted(page, chat), /^> the area\? [\d.]+\n>\n> The area\n\n$/);
    // Text of the page itself and of the box is not quoted.
    await page.evaluate(() => getSelection().selectAllChildren(document.querySelector('#side')));
    await chat.write('in the box');
    await chat.box.selectText();
    await until('the selection has been looked at', () => page.evaluate(() => new Promise((ok) => setTimeout(() => ok(true), 300))));
    assert.equal(await quoteButton(page).count(), 0);
});

test('the keys quote the selection, are listed, and typing goes on below the quotation', async (t) => {
    const page = await open(t, { as: anna, path: await conversation(t), locale: 'de-DE' });
    const chat = new Chat(page, de);
    await loaded(page, 'chat/edit');
    await page.keyboard.press('Control+/');
    await page.getByRole('dialog').getByText(de.script_later.key_quote).waitFor();
    assert.equal(await page.getByRole('dialog').locator(`dt:text-is("${de.script_later.key_quote}") + dd`).innerText(), 'Strg+Umschalt+9');
    await page.keyboard.press('Escape');
    await chat.answer.locator('p').first().dblclick({ position: { x: 10, y: 10 } });
    await quoteButton(page, de).waitFor();
    assert.equal(await quoteButton(page, de).getAttribute('aria-keyshortcuts'), 'Control+Shift+9');
    await page.keyboard.press('Control+Shift+9');
    assert.equal(await chat.box.inputValue(), '> The\n\n');
    await quoteButton(page, de).waitFor({ state: 'detached' });
    await page.keyboard.type('Why?');
    assert.equal(await chat.box.inputValue(), '> The\n\nWhy?');
});

test('with a mouse the button is beside the selection, and goes with it', async (t) => {
    const page = await open(t, { as: anna, path: await conversation(t) });
    const chat = new Chat(page);
    const words = await chat.answer.locator('p').first().boundingBox();
    await page.mouse.move(words.x + 2, words.y + 10);
    await page.mouse.down();
    await page.mouse.move(words.x + 200, words.y + 12, { steps: 4 });
    await loaded(page, 'text/quote');
    assert.equal(await quoteButton(page).count(), 0, 'not while the mouse selects');
    await page.mouse.up();
    await quoteButton(page).waitFor();
    const at = await quoteButton(page).boundingBox();
    assert.ok(at.y + at.height <= words.y + 4 && at.y + at.height > words.y - 24, JSON.stringify([at, words]));
    assert.deepEqual(await axe(page), []);
    await page.mouse.click(words.x + 20, words.y + 12);
    await quoteButton(page).waitFor({ state: 'detached' });
});

for (const colorScheme of ['light', 'dark'])
    test(`on a phone it is above the box, away from the menu of the system (${colorScheme})`, async (t) => {
        const page = await open(t, { as: anna, path: await conversation(t), ...phone, colorScheme });
        const chat = new Chat(page);
        await loaded(page, 'chat/edit');
        await select(page, 'The area');
        await quoteButton(page).waitFor();
        const at = await quoteButton(page).boundingBox(), foot = await page.locator('#composer').boundingBox();
        assert.ok(at.y + at.height <= foot.y && at.y + at.height > foot.y - 24, JSON.stringify([at, foot]));
        assert.ok(at.height >= 40, 'a finger meets it');
        assert.deepEqual(await axe(page), []);
        await quoteButton(page).tap();
        assert.equal(await chat.box.inputValue(), '> The area\n\n');
    });

test('text of a running answer can be quoted', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('Tell me slowly');
    const call = await asked('Tell me slowly');
    await call.text('Once upon a time');
    await chat.reads('Once upon a time');
    await chat.answer.hover();
    await loaded(page, 'chat/edit');
    await select(page, 'upon');
    assert.equal(await quoted(page, chat), '> upon\n\n');
    await call.end();
    await chat.settled();
});
