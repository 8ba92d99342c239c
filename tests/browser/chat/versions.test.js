// Actions on a message: edit, answer again, switch versions, copy, delete.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from '../lib/chat.js';
import { answers, leads, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, blank, asked } = await stage();
const anna = await alfred.admin('anna');
const replies = (text) => (call) => call.asks(text);

async function conversation(t, text, answer, more = {}) {
    const page = await open(t, { as: anna, ...more });
    const chat = new Chat(page);
    await chat.exchange(provider, answers(answer), text);
    return chat;
}

test('Save and rerun makes a branch, and the arrows switch between both, with their addresses', async (t) => {
    const chat = await conversation(t, 'Capital of France?', 'Paris.');
    const { page } = chat;
    await chat.exchange(provider, answers('About two million.'), 'How many people?');
    const first = chat.questions.first();
    await first.hover();
    await chat.act(first, 'Edit').click();
    const box = first.getByRole('textbox', { name: 'Your message' }), before = await first.getAttribute('id');
    await until('the editor has the focus', () => box.evaluate((el) => el === document.activeElement));
    await box.fill('Capital of Spain?');
    await first.getByRole('button', { name: 'Save and rerun' }).click();
    const call = await asked('Capital of Spain?');
    assert.ok(!call.prompt.includes('France'), 'the other branch is not in the context');
    await call.text('Madrid.');
    await call.end();
    await chat.reads('Madrid.');
    await chat.settled();
    assert.deepEqual(await chat.texts(), ['Capital of Spain?', 'Madrid.']);
    assert.notEqual(await first.getAttribute('id'), before);
    assert.equal(await focus(page), await first.getAttribute('id'), 'the new question has the focus of the old one');
    const count = (message) => message.locator('.branches .count').innerText();
    assert.equal((await count(chat.questions.first())).replace(/\D+/g, ' ').trim(), '2 2');
    await leads(page, /./, () => chat.act(chat.questions.first(), 'Previous version').click());
    assert.deepEqual(await chat.texts(), ['Capital of France?', 'Paris.', 'How many people?', 'About two million.']);
    await until('the version is not lit', () => chat.questions.first().evaluate((el) => el.matches(':target') && getComputedStyle(el.parentElement).animationName === 'none'));
    // By keyboard, on the focused message.
    await chat.questions.first().focus();
    await leads(page, /./, () => page.keyboard.press('ArrowRight'));
    assert.deepEqual(await chat.texts(), ['Capital of Spain?', 'Madrid.']);
    // Back and forward work, too.
    await leads(page, /./, () => page.goBack());
    assert.deepEqual(await chat.texts(), ['Capital of France?', 'Paris.', 'How many people?', 'About two million.']);
});

/** The id of the focused element. */
const focus = (page) => page.evaluate(() => document.activeElement?.id);

test('with formulas, too, a switch of versions keeps the focus and the place', async (t) => {
    const chat = await conversation(t, 'Area?', `${'A line.\n\n'.repeat(30)}It is $$\\frac{a^2}{2}$$ of $c$.`);
    const { page } = chat;
    provider.next(answers(`${'A line.\n\n'.repeat(30)}It is $$\\sum_{i=0}^n \\frac{i}{2}$$ of $d$.`), replies('Area?'));
    await chat.act(chat.reply, 'Answer again').click();
    await chat.reads(/d/);
    await chat.settled();
    for (const key of ['ArrowLeft', 'ArrowRight']) {
        await chat.reply.focus();
        const top = await chat.reply.evaluate((el) => {
            scrollTo(0, scrollY - 150);
            return el.getBoundingClientRect().top;
        });
        await leads(page, /./, () => page.keyboard.press(key));
        await chat.reply.locator('.katex').first().waitFor();
        await until('the focus is on the message', async () => (await focus(page)) === (await chat.reply.getAttribute('id')));
        await until('it is where its sibling was', async () => Math.abs((await chat.reply.evaluate((el) => el.getBoundingClientRect().top)) - top) < 2);
    }
});

test('a message after a switch of versions continues the shown branch', async (t) => {
    const chat = await conversation(t, 'One', 'First.');
    const { page } = chat;
    provider.next(answers('Second.'), replies('One'));
    await chat.act(chat.reply, 'Answer again').click();
    await chat.reads('Second.');
    await chat.settled();
    await leads(page, /./, () => chat.act(chat.reply, 'Previous version').click());
    await chat.reads('First.');
    await chat.send('And then?');
    const call = await asked('And then?');
    assert.ok(call.prompt.includes('First.') && !call.prompt.includes('Second.'), call.prompt);
    await call.text('Third.');
    await call.end();
    await chat.reads('Third.');
    await chat.settled();
    await page.goto(page.url().split(/[?#]/)[0]);
    assert.deepEqual(await chat.texts(), ['One', 'First.', 'And then?', 'Third.']);
});

test('Answer again keeps the first answer as a version', async (t) => {
    const chat = await conversation(t, 'Flip a coin', 'Heads.');
    await chat.act(chat.reply, 'Answer again').click();
    const call = await asked('Flip a coin');
    assert.ok(!call.prompt.includes('Heads.'));
    await call.text('Tails.');
    await chat.reads('Tails.');
    assert.equal(await chat.reply.locator('.branches').isVisible().catch(() => false), false, 'no arrows until it has settled');
    await call.end();
    await chat.settled();
    assert.deepEqual(await chat.texts(), ['Flip a coin', 'Tails.']);
    assert.equal(await focus(chat.page), await chat.reply.getAttribute('id'), 'the new answer has the focus of the old one');
    await leads(chat.page, /./, () => chat.act(chat.reply, 'Previous version').click());
    assert.deepEqual(await chat.texts(), ['Flip a coin', 'Heads.']);
    await chat.page.reload();
    assert.deepEqual(await chat.texts(), ['Flip a coin', 'Heads.']);
});

test('Save changes the text in place; Cancel and Esc keep it', async (t) => {
    const chat = await conversation(t, 'Teh moon', 'Round.');
    const edit = async () => {
        await chat.question.hover();
        await chat.act(chat.question, 'Edit').click();
        return chat.question.getByRole('textbox', { name: 'Your message' });
    };
    for (const leave of [() => chat.question.getByRole('button', { name: 'Cancel' }).click(), () => chat.page.keyboard.press('Escape')]) {
        const box = await edit();
        await box.fill('something else');
        await leave();
        await box.waitFor({ state: 'hidden' });
        assert.equal(await chat.question.locator('.bubble').innerText(), 'Teh moon');
    }
    const box = await edit();
    assert.equal(await box.inputValue(), 'Teh moon');
    await box.fill('The moon');
    await chat.question.getByRole('button', { name: 'Save', exact: true }).click();
    await chat.question.locator('.bubble', { hasText: 'The moon' }).waitFor();
    assert.equal(await chat.question.locator('.branches').count(), 0);
    await chat.page.reload();
    assert.deepEqual(await chat.texts(), ['The moon', 'Round.']);
});

test('an edit without text is not saved, and the field says that it needs one', async (t) => {
    const chat = await conversation(t, 'Which colour?', 'Blue.');
    const editor = chat.question.getByRole('textbox');
    const shows = () => editor.evaluate((el) => new Promise((ok) => el.addEventListener('invalid', () => ok(true), { once: true })));
    await chat.act(chat.question, 'Edit').click();
    for (const name of ['Save', 'Save and rerun']) {
        await editor.fill(' \n ');
        const shown = shows();
        await chat.question.getByRole('button', { name, exact: true }).click();
        assert.ok(await shown);
        assert.ok(await editor.evaluate((el) => el === document.activeElement));
    }
    await editor.press('Escape');
    assert.deepEqual(await chat.texts(), ['Which colour?', 'Blue.']);
});

test('the editor of a question opens in view when its answer fills the window', async (t) => {
    const chat = await conversation(t, 'Ten lines?', 'A line.\n\n'.repeat(10)), { page } = chat;
    const rest = await page.locator('#room').evaluate((el) => el.offsetHeight);
    await page.setViewportSize({ width: 1280, height: 800 - rest });
    await until('the answer fills the window', () => page.locator('#room').evaluate((el) => el.offsetHeight === 0));
    await chat.question.hover();
    await chat.act(chat.question, 'Edit').click();
    const box = chat.question.getByRole('textbox', { name: 'Your message' });
    await until('the editor has the focus', () => box.evaluate((el) => el === document.activeElement));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))); // the page has observed its new size
    const bar = await page.locator('.bar').boundingBox();
    assert.ok((await box.boundingBox()).y >= bar.y + bar.height, 'below the bar');
});

test('copying gives the Markdown of an answer and the plain code of a block', async (t) => {
    const source = 'A **bold** word:\n\n```python\nprint("<b>")\nx = 1\n```\n';
    const chat = await conversation(t, 'Show code', source, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = chat;
    const clip = (type = 'text/plain') =>
        page.evaluate(async (kind) => {
            const [item] = await navigator.clipboard.read();
            return (await item.getType(kind)).text();
        }, type);
    await chat.act(chat.reply, 'Copy').click();
    await until('copied', async () => (await clip().catch(() => '')).includes('**bold**'));
    assert.equal((await clip()).trim(), source.trim());
    assert.match(await clip('text/html'), /<strong>bold<\/strong>/);
    await chat.answer.locator('.code-copy').click();
    await chat.answer.locator('.code-copy', { hasText: 'Copied' }).waitFor();
    await until('copied', async () => (await clip().catch(() => '')).startsWith('print'));
    assert.equal(await clip(), 'print("<b>")\nx = 1\n');
    await chat.question.hover();
    await chat.act(chat.question, 'Copy').click();
    await until('copied', async () => (await clip().catch(() => '')) === 'Show code');
});

test('deleting a message removes all after it at once, and Undo brings it back', async (t) => {
    const chat = await conversation(t, 'Keep me', 'Kept.');
    const { page } = chat;
    await chat.exchange(provider, answers('Gone.'), 'Delete me');
    await chat.question.hover();
    await chat.act(chat.question, 'Delete from here').click();
    await until('two are left', async () => (await chat.messages.count()) === 2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until('four are back', async () => (await chat.messages.count()) === 4);
    assert.deepEqual(await chat.texts(), ['Keep me', 'Kept.', 'Delete me', 'Gone.']);
    await chat.question.hover();
    await chat.act(chat.question, 'Delete from here').click();
    await until('two are left', async () => (await chat.messages.count()) === 2);
    assert.deepEqual(await chat.texts(), ['Keep me', 'Kept.']);
    await page.reload();
    assert.deepEqual(await chat.texts(), ['Keep me', 'Kept.']);
    await ready(page);
    await chat.exchange(provider, answers('Still here.'), 'And now?');
    assert.deepEqual(await chat.texts(), ['Keep me', 'Kept.', 'And now?', 'Still here.']);
});

test('what is sent during a deletion or while an edited answer is saved goes below the result', async (t) => {
    const chat = await conversation(t, 'Capital of Italy?', 'Rome.');
    const { page } = chat;
    await chat.exchange(provider, answers('Wrong.'), 'And of Norway?');
    let pass;
    const held = new Promise((done) => (pass = done));
    await page.route('**/api/sessions/*/messages/*', async (route) => {
        await held;
        await route.continue();
    });
    const asks = page.waitForRequest((r) => r.method() === 'DELETE');
    await chat.reply.hover();
    await chat.act(chat.reply, 'Delete from here').click();
    await asks;
    await chat.send('Then of Sweden?');
    provider.next(answers('Stockholm.'), replies('Then of Sweden?'));
    assert.equal(await chat.box.inputValue(), 'Then of Sweden?', 'it waits in the box');
    pass();
    await chat.reads('Stockholm.');
    await chat.settled();
    assert.deepEqual(await chat.texts(), ['Capital of Italy?', 'Rome.', 'And of Norway?', 'Then of Sweden?', 'Stockholm.']);
});

test('a double click deletes once, and what the page then says covers no part of the message box', async (t) => {
    const chat = await conversation(t, 'Keep both', 'Kept.');
    const { page } = chat;
    await page.setViewportSize({ width: 1440, height: 900 });
    await chat.exchange(provider, answers('Gone.'), 'Delete this once');
    await chat.question.hover();
    await chat.act(chat.question, 'Delete from here').dblclick(); // a second request would be answered with 404
    const toast = page.locator('.toast', { hasText: '2 messages are in the trash.' });
    await toast.waitFor();
    assert.deepEqual(await chat.texts(), ['Keep both', 'Kept.']);
    assert.equal(await page.locator('#alerts > *').count(), 0);
    const [said, box] = [await toast.boundingBox(), await page.locator('#composer').boundingBox()];
    assert.ok(said.y + said.height <= box.y, JSON.stringify([said, box]));
});

test('a deletion says how many messages went with it, and all of them come back', async (t) => {
    const chat = await conversation(t, 'One', 'First.');
    const { page } = chat;
    await chat.exchange(provider, answers('Second.'), 'Two');
    await chat.exchange(provider, answers('Third.'), 'Three');
    const second = chat.questions.nth(1);
    await second.hover();
    await chat.act(second, 'Delete from here').click();
    const toast = page.locator('.toast', { hasText: '4 messages are in the trash.' });
    await toast.waitFor();
    assert.deepEqual(await chat.texts(), ['One', 'First.']);
    await toast.getByRole('button', { name: 'Undo' }).click();
    await chat.reads('Third.');
});

test('what is typed while nothing has the focus goes to the message box', async (t) => {
    const chat = await conversation(t, 'Begin', 'Well begun.');
    const { page } = chat, loaded = page.waitForResponse(/\/typing\.js/);
    await page.reload();
    const script = (await loaded).url();
    await page.evaluate((url) => import(url), script); // has run
    await page.locator('#main').click({ position: { x: 4, y: 200 } });
    await page.keyboard.type('half done');
    await chat.reply.focus();
    await page.keyboard.type(', more');
    assert.equal(await chat.box.inputValue(), 'half done, more');
});

test('a page that is connected after a deletion does not follow the deleted turn', async (t) => {
    const page = await blank(t, { as: anna });
    const connects = Promise.withResolvers();
    await page.route('**/js/frame/changes.js', (route) => connects.promise.then(() => route.continue()));
    await page.goto('/');
    await ready(page);
    const chat = new Chat(page);
    await chat.exchange(provider, answers('Stays.'), 'Stay');
    await chat.exchange(provider, answers('Leaves.'), 'Leave');
    await chat.question.hover();
    await chat.act(chat.question, 'Delete from here').click();
    await until('two are left', async () => (await chat.messages.count()) === 2);
    connects.resolve();
    // News come in order: those of the turns come before this one.
    const id = new URL(page.url()).pathname.split('/').pop();
    await anna.request('PATCH', `/api/sessions/${id}`, { json: { title: 'Renamed elsewhere' } });
    await page.locator('#side').getByText('Renamed elsewhere').waitFor();
    assert.deepEqual(await chat.texts(), ['Stay', 'Stays.']);
});
