// The tool draw_picture: the owner's model for pictures draws, and the answer shows the picture.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { asksForDrawing, changeOf, draws } from '../../fake/drawing.js';
import { answers, startProvider } from '../../fake/provider.js';
import { answerWithTool, asksForAnswer, beginAnswer, ended, eventsOf, exchange, exchangeWithTool, provide, send, serveFile, sessionOf, stop } from '../../lib/chat.js';
import { GIF, noise, png, upload } from '../../lib/picture.js';
import { bring } from '../../lib/transfer.js';
import { startAlfred } from '../../lib/rig.js';
import { linkPerson, startTelegram } from '../../lib/telegram.js';

const provider = await provide(), painter = await startProvider();
after(() => painter.stop());
painter.always(draws(), asksForDrawing);
painter.always(answers('Hello.'), (call) => !asksForDrawing(call));

const settings = (model) => ({
    models: { discover: 'no' },
    limits: { picture_bytes: 65536 },
    drawing: { provider: 'painter', model },
    'provider.main': { kind: 'openai', base_url: `${provider.url}/v1`, model: 'test-model' },
    'provider.painter': { kind: 'openai', base_url: `${painter.url}/v1`, model: 'chat-model', models: ['chat-model'] },
});
const alfred = await serveFile({ config: settings('gpt-image-1') });
const anna = await alfred.admin('anna'), bob = await alfred.user('bob');
const choice = 'main/test-model';

const RED = png();
let texts = 0;
const question = () => `Please draw a fox, number ${++texts}.`;
const draw = (args, { client = anna, ...options } = {}) => exchangeWithTool(client, provider, question(), 'draw_picture', args, { choice, ...options });
const asked = () => painter.calls.filter(asksForDrawing);
const offers = (call) => (call.body.tools ?? []).some((tool) => tool.function.name === 'draw_picture');

test('the answer after the call has the picture, with its prompt as the text for those who do not see it', async () => {
    const { first, messages, result, session } = await draw({ prompt: 'A <red> fox & "snow"', shape: 'wide' });
    assert.ok(offers(first));
    assert.deepEqual(asked().at(-1).body, { model: 'gpt-image-1', prompt: 'A <red> fox & "snow"', n: 1, size: '1536x1024', output_format: 'webp' });
    const answer = messages.at(-1);
    assert.equal(answer.role, 'assistant');
    assert.deepEqual(answer.pictures.map((p) => [p.id, p.media_type, p.width, p.height, p.alt]), [[result.picture, 'image/png', 64, 48, 'A <red> fox & "snow"']]);
    assert.deepEqual([messages.at(-2).pictures, messages.at(-3).pictures], [[], []], 'no other message has it');
    const shown = await anna.get(answer.pictures[0].url);
    assert.deepEqual([shown.status, shown.headers['content-type']], [200, 'image/png']);
    assert.equal((await bob.get(answer.pictures[0].url)).status, 404);
    const page = (await anna.get(`/s/${session}`)).text;
    assert.match(page, /<img src="\/pictures\/pic_\w+" width="64" height="48" alt="A &lt;red&gt; fox &amp; &quot;snow&quot;"/);
    assert.match(page, /#picture"\/><\/svg>Drew a picture/);
});

test('the article of the step has the picture while the answer is still being written', async () => {
    const text = question(), sent = await send(anna, text, { choice });
    const call = await beginAnswer(provider, text);
    await call.toolCall('draw_picture', { prompt: 'A fox' });
    await call.end('tool_calls');
    const next = await beginAnswer(provider, text);
    const events = await eventsOf(anna, sent.turn);
    const turn = JSON.parse((await events.until((e) => e.event === 'turn')).at(-1).data);
    assert.match(turn.reply_html, /<img src="\/pictures\/pic_/);
    await next.text('There it is.');
    await next.end();
    await ended(anna, sent.turn);
});

test('the model sees its picture as words only, and what the user asks next is answered', async () => {
    const { session } = await draw({ prompt: 'A fox' });
    const { end } = await exchange(anna, provider, 'Thank you for the fox.', 'You are welcome.', { session, choice });
    assert.equal(end.status, 'done');
    const sent = provider.calls.findLast((c) => asksForAnswer(c) && c.asks('Thank you for the fox.'));
    assert.ok(sent.body.messages.every((m) => typeof m.content === 'string' || m.content === null), 'no message has parts');
    assert.ok(!sent.raw.includes('not shown here'));
});

test('a call that failed says why, and the answer goes on without a picture', async () => {
    const { result, messages } = await draw({ prompt: 'A fox [unsafe]' });
    assert.match(result.error, /safety system/);
    assert.deepEqual(messages.at(-1).pictures, []);
    painter.next(draws(Buffer.from('<html>')), asksForDrawing);
    assert.match((await draw({ prompt: 'A fox' })).result.error, /PNG/);
    painter.next(draws(noise(200, 150)), asksForDrawing);
    assert.match((await draw({ prompt: 'A fox' })).result.error, /larger than the limit of 64.KB/);
    painter.next(async (call) => call.fail(429, { retryAfter: 30 }), asksForDrawing);
    assert.match((await draw({ prompt: 'A fox' })).result.error, /30 s/);
    painter.next(async (call) => call.breakOff(), asksForDrawing);
    const before = asked().length;
    assert.match((await draw({ prompt: 'A fox' })).result.error, /\w/);
    assert.equal(asked().length, before + 1, 'a request that broke off is not repeated');
});

test('a change sends the newest picture: the photo of the user, then the drawn one', async () => {
    const photo = png(20, 30, [1, 2, 3]), drawn = png(40, 40, [9, 9, 9]);
    const { id } = await upload(anna, photo), { id: second } = await upload(anna, RED);
    painter.next(draws(drawn), asksForDrawing);
    const { session, result } = await draw({ prompt: 'As a watercolour', change: true }, { pictures: [id, second] });
    const first = await changeOf(asked().at(-1));
    assert.deepEqual(first.fields, { model: 'gpt-image-1', prompt: 'As a watercolour', output_format: 'webp' });
    assert.deepEqual(first.pictures.map((p) => [p.field, p.name, p.type]), [['image[]', 'picture.png', 'image/png'], ['image[]', 'picture.png', 'image/png']]);
    assert.ok(first.pictures[0].bytes.equals(photo) && first.pictures[1].bytes.equals(RED));
    assert.equal(result.width, 40);
    await draw({ prompt: 'Darker', change: true, shape: 'wide' }, { session });
    const next = await changeOf(asked().at(-1));
    assert.equal(next.fields.size, '1536x1024');
    assert.ok(next.pictures.length === 1 && next.pictures[0].bytes.equals(drawn));

    assert.match((await draw({ prompt: 'Darker', change: true })).result.error, /no picture to change/);
    const gif = await upload(anna, GIF);
    assert.match((await draw({ prompt: 'Darker', change: true }, { pictures: [gif.id] })).result.error, /only PNG, JPEG and WebP/);
});

test('the page says that a picture is being drawn; a stop ends it, and what was drawn before it is kept', async () => {
    const text = question(), sent = await send(anna, text, { choice });
    const call = await beginAnswer(provider, text);
    await call.toolCall('draw_picture', { prompt: 'A fox' });
    await call.end('tool_calls');
    await beginAnswer(provider, text); // the first picture is there
    await stop(anna, sent.turn);
    assert.equal((await ended(anna, sent.turn)).status, 'stopped');
    const { messages } = await sessionOf(anna, sent.session);
    assert.equal(messages.at(-1).pictures.length, 1);
    assert.ok((await anna.get(`/s/${sent.session}`)).text.includes('<img src="/pictures/'));

    const begun = new Promise((resolve) => painter.next(async (one) => resolve(one), asksForDrawing));
    const other = question(), again = await send(anna, other, { choice });
    const second = await beginAnswer(provider, other);
    await second.toolCall('draw_picture', { prompt: 'A fox that takes long' });
    await second.end('tool_calls');
    const drawing = await begun;
    const shown = await (await eventsOf(anna, again.turn)).until((e) => e.event === 'wait');
    assert.deepEqual(JSON.parse(shown.at(-1).data), { status: 'tool', text: 'Drawing a picture …' });
    await stop(anna, again.turn);
    await drawing.gone;
    assert.equal((await ended(anna, again.turn)).status, 'stopped');
});

test('an answer has at most four pictures', async () => {
    const text = question(), sent = await send(anna, text, { choice });
    const call = await beginAnswer(provider, text);
    await call.toolCalls([1, 2, 3, 4, 5].map((n) => ({ id: `call_${n}`, name: 'draw_picture', args: JSON.stringify({ prompt: `Fox ${n}` }) })));
    await call.end('tool_calls');
    const next = await beginAnswer(provider, text);
    await next.text('Four foxes.');
    await next.end();
    await ended(anna, sent.turn);
    const { messages } = await sessionOf(anna, sent.session);
    const results = messages.filter((m) => m.role === 'tool').map((m) => JSON.parse(m.text));
    const drawn = results.filter((r) => r.picture), refused = results.filter((r) => r.error);
    assert.ok(drawn.length >= 2 && drawn.length <= 4, 'two at a time, four in all');
    assert.ok(refused.every((r) => /drawn enough|Too many pictures/.test(r.error)));
    assert.deepEqual(messages.at(-1).pictures.map((p) => p.id), drawn.map((r) => r.picture), 'in the order of the calls');
});

test('the picture is in the export, in shared links, and goes with its message', async () => {
    const { session, messages } = await draw({ prompt: 'A fox' });
    const id = messages.at(-1).pictures[0].id;
    const lines = (await anna.get(`/sessions/${session}/file?format=jsonl`)).text;
    assert.match(lines, /"type":"picture"/);
    const carol = await alfred.user('carol');
    assert.equal((await bring(carol, lines)).state, 'done');
    const { sessions: [brought] } = await carol.getJson('/api/sessions');
    const kept = (await sessionOf(carol, brought.id)).messages.at(-1).pictures;
    assert.deepEqual(kept.map((p) => [p.width, p.height, p.alt]), [[64, 48, 'A fox']]);
    assert.ok((await carol.get(kept[0].url)).body.equals(png(64, 48)));
    await anna.post(`/sessions/${session}/messages/${messages.at(-1).id}/delete`, {});
    const page = await anna.get(`/s/${session}`);
    assert.ok(!page.text.includes(id));
});

test('other services: what they refuse is left out, and a picture that is only an address is not fetched', async (t) => {
    const other = await startAlfred({ t, config: settings('grok-2-image') });
    const carl = await other.admin('carl');
    const before = asked().length;
    const { result } = await draw({ prompt: 'A fox', shape: 'tall' }, { client: carl });
    assert.equal(result.width, 64);
    const sent = asked().slice(before).map((c) => c.body);
    assert.deepEqual(sent, [
        { model: 'grok-2-image', prompt: 'A fox', n: 1, size: '768x1344', response_format: 'b64_json' },
        { model: 'grok-2-image', prompt: 'A fox', n: 1, response_format: 'b64_json' },
    ]);
    const urls = await startAlfred({ t, config: settings('some-proxy') });
    const dora = await urls.admin('dora');
    assert.match((await draw({ prompt: 'A fox' }, { client: dora })).result.error, /only an address/);
});

test('in Telegram the picture follows the text of the answer', async (t) => {
    const { alfred: service, bot } = await startTelegram({ t, config: settings('gpt-image-1') });
    await service.admin('fred');
    linkPerson(service, 4711, 'fred');
    const text = question();
    await bot.says({ chat: 4711, text });
    const call = await beginAnswer(provider, text);
    await call.toolCall('draw_picture', { prompt: 'A fox' });
    await call.end('tool_calls');
    const next = await beginAnswer(provider, text);
    await next.text('A fox for you.');
    await next.end();
    const sent = await bot.until((c) => c.method === 'sendPhoto');
    assert.match(String(sent.raw), /name="photo"; filename="picture\.png"/);
    assert.equal(sent.params.chat_id, 4711);
    assert.ok(bot.texts(4711).includes('A fox for you.'));
    assert.deepEqual(bot.complaints, []);
});

test('pictures are counted with their price, and a member who has spent the limit draws no more', async (t) => {
    const service = await startAlfred({ t, config: { ...settings('gpt-image-1'), drawing: { provider: 'painter', model: 'gpt-image-1', cents: 60 }, usage: { currency: 'EUR', member_month_cost: 1 } } });
    const gina = await service.admin('gina'), hugo = await service.user('hugo');
    for (let i = 0; i < 2; i++) assert.ok((await draw({ prompt: 'A fox' }, { client: hugo })).result.picture);
    const before = asked().length;
    assert.match((await draw({ prompt: 'A fox' }, { client: hugo })).result.error, /1 EUR/);
    assert.equal(asked().length, before);
    assert.ok((await draw({ prompt: 'A fox' }, { client: gina })).result.picture, 'an admin has no limit');
    const { models } = await hugo.getJson('/api/usage');
    assert.deepEqual(models.filter((m) => m.model === 'gpt-image-1').map((m) => [m.provider, m.answers, m.cost]), [['painter', 2, 1_200_000]]);
});

test('the test of the provider names its model and draws nothing', async () => {
    const before = asked().length;
    const { stdout } = await alfred.cli(['provider', 'test', 'painter']);
    assert.match(stdout, /^ {2}Drawing +\S+ +gpt-image-1 is not in the list\./m);
    assert.equal(asked().length, before);
});

test('without [drawing] no model has the tool', async (t) => {
    const { drawing: _, ...rest } = settings('');
    const plain = await startAlfred({ t, config: rest });
    const eva = await plain.admin('eva');
    const { first, result } = await draw({ prompt: 'A fox' }, { client: eva });
    assert.ok(!offers(first));
    assert.match(result.error, /no tool/);
});
