// Controls that depend on the model: the effort beside it in the composer, and Continue beneath an answer that it cut.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange } from '../../lib/chat.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { answers, asksForAnswer, phone, quiet, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open } = await stage({
    config: {
        'provider.many': { kind: 'openai', base_url: 'http://127.0.0.1:9/v1', models: Array.from({ length: 14 }, (_, i) => `model-${i}`) },
        'provider.thinker': { kind: 'openai', base_url: 'http://127.0.0.1:9/v1', model: 'gpt-5-mini' },
        'provider.twin': { kind: 'openai', base_url: 'http://127.0.0.1:9/v1', model: 'model-2' },
        'provider.wide': { kind: 'openai', base_url: 'http://127.0.0.1:9/v1', model: 'gpt-5-mini-with-a-name-that-fills-a-row' },
    },
});
const anna = await alfred.admin('anna');

test('the effort is offered where the model takes one, at every width, and is sent', async (t) => {
    for (const width of [360, 768, 1440]) {
        const page = await open(t, { as: anna, viewport: { width, height: 700 } });
        const effort = page.locator('select[name=effort]');
        const model = page.locator('select[name=choice]');
        await model.selectOption('openai/test-model');
        assert.equal(await effort.isVisible(), false, 'this model takes none');
        const plain = await new Chat(page).sendButton.boundingBox();
        assert.ok(plain.x + plain.width > (await page.locator('#composer').boundingBox()).x + (await page.locator('#composer').boundingBox()).width - 40, 'Send stands at the end of its row');
        await model.selectOption('thinker/gpt-5-mini');
        assert.equal(await effort.isVisible(), true);
        await effort.selectOption('high');
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `nothing sticks out at ${width}`);
        const send = await new Chat(page).sendButton.boundingBox();
        assert.ok(send.x + send.width <= width, `Send is in reach at ${width}`);
        if (process.env.SHOTS_DIR) await page.screenshot({ path: `${process.env.SHOTS_DIR}/effort-${width}.png` });
    }
});

test('on a phone model and effort share the row that the focus in the message box adds', async (t) => {
    const page = await open(t, { as: anna, ...phone });
    const chat = new Chat(page), edit = chat.act(chat.reply, 'Edit'), model = page.locator('select[name=choice]');
    await model.selectOption('openai/test-model');
    await chat.exchange(provider, answers('Line by line. '.repeat(100)), 'Fill the page');
    for (const choice of ['openai/test-model', 'wide/gpt-5-mini-with-a-name-that-fills-a-row']) {
        await page.goto(`${new URL(page.url()).pathname}?choice=${choice}`);
        await quiet(page);
        const place = async () => (await edit.boundingBox()).y, before = await place();
        await chat.box.tap();
        await model.waitFor();
        assert.equal(await page.locator('select[name=effort]').isVisible(), choice.startsWith('wide'));
        assert.equal(await place(), before, 'the conversation stays where it is');
        await edit.tap();
        await chat.reply.getByRole('textbox', { name: 'Source' }).waitFor();
    }
});

test('models of several providers are in groups, and their names begin with what sets them apart', async (t) => {
    const page = await open(t, { as: anna });
    const shown = () => page.locator('select[name=choice]').evaluate((el) => [el.selectedOptions[0].parentElement.label, el.selectedOptions[0].text, el.selectedOptions[0].value]);
    await page.locator('select[name=choice]').selectOption('openai/test-model');
    assert.deepEqual((await shown()).slice(1), ['test-model', 'openai/test-model']);
    await page.locator('select[name=choice]').focus();
    await page.keyboard.type('model-7');
    assert.deepEqual(await shown(), ['many', 'model-7', 'many/model-7']);
    for (const path of ['/settings', '/personas']) {
        await page.goto(path);
        assert.equal(await page.locator('optgroup[label=many] > option').first().textContent(), 'model-0', path);
    }
    await page.goto('/models?q=model-3');
    assert.match(await page.locator('.item').innerText(), /^model-3\s+many · Reads [\d,]+ tokens$/, 'the source of the number is nothing for users');
    await page.goto('/connect');
    assert.match(await page.locator('main').innerText(), /Reads [\d,]+ tokens \((default of this server|known for this family)\)/);
});

test('models of two providers with one name are told apart where one is chosen', async (t) => {
    const page = await open(t, { as: anna });
    const named = (name) => page.locator(`select[name=${name}]`).evaluate((el) => el.selectedOptions[0].text);
    await page.locator('select[name=choice]').selectOption('many/model-2');
    await page.locator('#options summary').click();
    await page.getByLabel('Compare with').selectOption('twin/model-2');
    await until('the second model is named', async () => (await page.locator('#options-chosen').innerText()) === '+ twin · model-2');
    assert.deepEqual([await named('choice'), await named('compare_with')], ['many · model-2', 'twin · model-2']);
});

test('the menu of models finds others, and marks the one that answered', async (t) => {
    for (const options of [{}, phone]) {
        const page = await open(t, { as: anna, ...options });
        const chat = new Chat(page);
        await page.locator('select[name=choice]').selectOption('openai/test-model');
        await chat.exchange(provider, answers('Me.'), 'Who answers?');
        assert.equal(await chat.reply.locator('.model').textContent(), 'test-model');
        await chat.act(chat.reply, 'Answer again with another model').click();
        const items = page.getByRole('menuitem'), find = page.getByRole('searchbox', { name: 'Search models' });
        await items.first().waitFor();
        assert.equal(await page.evaluate(() => document.activeElement.type), options === phone ? 'button' : 'search');
        assert.deepEqual(await axe(page, { within: '.menu' }), []);
        const before = await page.locator('.menu').boundingBox();
        await find.fill('MANY 13');
        await until('one is found', async () => (await items.allTextContents()).join() === 'model-13,Compare with…,All models');
        assert.deepEqual(await page.locator('.menu').boundingBox(), before, 'it stays where it is');
        await find.fill('test-model');
        await until('it is found', async () => (await items.first().textContent()) === 'test-model');
        assert.equal(await items.first().getAttribute('aria-current'), 'true');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowUp');
        await page.keyboard.press('ArrowUp');
        assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Compare with…');
        await page.keyboard.press('Backspace');
        await page.keyboard.type('-');
        assert.ok(await find.evaluate((el) => el === document.activeElement), 'what is typed goes into the search');
        await find.fill('offline');
        await until('it is found', async () => (await items.first().textContent()) === 'Built-in model');
        await find.press('Enter');
        await chat.reply.locator('.model', { hasText: 'Built-in model' }).waitFor();
    }
});

test('the link to the providers has space above it, below both lists of models', async (t) => {
    const { session, reply } = await exchange(anna, provider, 'Which models are there?', 'Many.', { choice: 'openai/test-model' });
    for (const path of ['/models', `/models?session=${session}&message=${reply}`]) {
        const page = await open(t, { as: anna, path });
        const [list, link] = await Promise.all(['main .list', 'main p:has(> a[href="/connect"])'].map((s) => page.locator(s).boundingBox()));
        assert.ok(link.y - list.y - list.height >= 15, `${path}: ${JSON.stringify([list, link])}`);
    }
});

test('Continue beneath a cut answer asks for the rest', async (t) => {
    provider.next(async (call) => {
        await call.start();
        await call.text('One, two');
        await call.end('length');
    }, (call) => asksForAnswer(call) && call.userText === 'Count to four');
    provider.next(answers('One, two, three, four.'), (call) => asksForAnswer(call) && call.body.messages.at(-2)?.content === 'One, two');
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await page.locator('select[name=choice]').selectOption('openai/test-model');
    await chat.send('Count to four');
    const button = page.getByRole('button', { name: 'Continue' });
    await button.waitFor();
    if (process.env.SHOTS_DIR) await page.screenshot({ path: `${process.env.SHOTS_DIR}/continue.png` });
    await button.click();
    await chat.answer.filter({ hasText: 'three, four.' }).waitFor();
    await chat.settled();
    assert.deepEqual(await chat.texts(), ['Count to four', 'One, two, three, four.']);
    assert.equal(await button.isVisible(), false);
});

test('a new chat has the model and persona that were chosen last, unless the settings or the address name a model', async (t) => {
    const eva = await alfred.user('eva');
    await eva.postJson('/api/personas', { name: 'Tutor', text: 'You are patient.' });
    const page = await open(t, { as: eva });
    const chat = new Chat(page), model = page.locator('select[name=choice]'), persona = page.locator('select[name=persona]');
    const usual = await model.inputValue();
    const stored = (value) => until('it is kept', () => page.evaluate((v) => Object.entries(localStorage).some(([k, kept]) => k.startsWith('alfred.choice.') && kept.includes(v)), value));
    /** The page as it is painted first, then as it is. */
    const shown = async (path = '/') => {
        const held = [];
        await page.route('**/js/main.js*', (route) => held.push(route));
        await page.goto(path, { waitUntil: 'commit' });
        await page.locator('body > .toasts').waitFor({ state: 'attached' });
        const now = async () => [await model.inputValue(), await persona.evaluate((el) => el.selectedOptions[0].text), await page.locator('#options-chosen').textContent()];
        const first = await now();
        await until('the script is requested', () => held.length);
        await held[0].continue();
        await page.unroute('**/js/main.js*');
        await ready(page);
        assert.deepEqual(await now(), first, 'no script changes it');
        return first;
    };
    await page.locator('#options summary').click();
    await persona.selectOption('Tutor');
    await model.selectOption('thinker/gpt-5-mini');
    await stored('thinker');
    assert.deepEqual(await shown(), ['thinker/gpt-5-mini', 'Tutor', 'Tutor']);
    assert.deepEqual(await shown('/?choice=many/model-1'), ['many/model-1', 'Tutor', 'Tutor']);

    // In a session, too; its own next answers have what is chosen there.
    await shown('/?choice=openai/test-model');
    await chat.exchange(provider, answers('Here.'), 'Where?');
    await model.selectOption('many/model-2');
    await stored('many/model-2');
    assert.equal((await shown())[0], 'many/model-2');

    // The setting goes first, but not over the model of a draft.
    assert.equal((await eva.request('PATCH', '/api/settings', { json: { model: usual } })).status, 200);
    assert.equal((await shown())[0], usual);
    await model.selectOption('many/model-3');
    await stored('many/model-3');
    await chat.write('A long thought');
    await until('the draft is kept', () => page.evaluate(() => Object.keys(localStorage).some((k) => k.startsWith('alfred.draft.'))));
    assert.equal((await shown())[0], 'many/model-3');
    assert.equal(await chat.box.inputValue(), 'A long thought');
});

test('an open page follows model, effort and persona of its session, except what was chosen there', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page);
    const persona = (await anna.postJson('/api/personas', { name: 'Cook', text: 'You cook.' })).json.persona.id;
    const { session } = await exchange(anna, provider, 'On another device', 'Told.', { choice: 'openai/test-model' });
    await page.goto(`/s/${session}`);
    const chosen = () => page.locator('#composer select').evaluateAll((all) => Object.fromEntries(all.map((s) => [s.name, s.value])));
    const change = async (json) => assert.equal((await anna.request('PATCH', `/api/sessions/${session}`, { json })).status, 200);
    assert.equal((await chosen()).choice, 'openai/test-model');
    await chat.box.fill('Half a question');
    await change({ choice: 'thinker/gpt-5-mini', effort: 'high', persona });
    await until('the page has all three', async () => { const now = await chosen(); return now.choice === 'thinker/gpt-5-mini' && now.effort === 'high' && now.persona === persona; });
    assert.equal(await page.locator('#options-chosen').textContent(), 'Cook');
    assert.equal(await chat.box.inputValue(), 'Half a question');
    // A choice that the server does not have yet stays.
    await page.route('**/api/sessions/*', (route) => route.request().method() === 'PATCH' ? undefined : route.continue());
    await page.locator('select[name=choice]').selectOption('openai/test-model');
    await change({ choice: 'many/model-3', effort: 'low' });
    await until('the effort follows', async () => (await chosen()).effort === 'low');
    assert.equal((await chosen()).choice, 'openai/test-model');
});
