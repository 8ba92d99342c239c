// The objects in the API's answers for docs/openapi.yaml, and the answers that contain them.
// tests/http/api/openapi.test.js compares them with the answers of the running service, in both directions.
//
// A property is its type: 'string', 'integer', 'boolean', a schema's name, or [one of these] for a list. A suffix '?'
// means that it may be null, '~' that it may be absent.

const source = { source_message: 'string?', source_url: 'string?' };
const snippet = { pieces: ['Piece'], cut_head: 'boolean', cut_end: 'boolean' };
const session = {
    temporary: 'boolean', ends_at: 'string?',
    id: 'string', title: 'string?', named: 'boolean', url: 'string', running: 'boolean', unread: 'boolean', pinned: 'boolean', archived: 'boolean', archived_by: 'string?',
    message_count: 'integer', topic: 'string?', keywords: ['string'], workspace: 'string?', tags: ['string'], channel: 'string?', effort: 'string?', persona: 'string?', temperature: 'string?', answer_tokens: 'integer', created_at: 'string', active_at: 'string', context: 'Context',
};

const workspaceFile = { id: 'string', workspace: 'string', name: 'string', bytes: 'integer', lines: 'integer', created_at: 'string', changed_at: 'string', url: 'string' };
const tokenSum = { answers: 'integer', input_tokens: 'integer', output_tokens: 'integer', cached_tokens: 'integer', reasoning_tokens: 'integer', cost: 'integer?' };
const usageSum = { ...tokenSum, audio_seconds: 'integer' };

export const schemas = {
    Share: { id: 'string', url: 'string', session: 'string', title: 'string?', name: 'string?', password: 'boolean', tools: 'boolean', ended: 'boolean', messages: 'integer', pictures: 'integer', created_at: 'string', copied_at: 'string', expires_at: 'string?' },
    Choice: { value: 'string', label: 'string', provider: 'string', model: 'string', kind: 'string', effort: 'boolean', selected: 'boolean' },
    Model: { value: 'string', label: 'string', provider: 'string', model: 'string', kind: 'string', effort: 'boolean', window: 'integer', window_from: 'string', tools: 'string', tools_from: 'string?', images: 'string', reasoning: 'string', default: 'boolean' },
    Context: { tokens: 'integer', window: 'integer', percent: 'integer', known: 'boolean', compacting: 'boolean', error: 'string?' },
    Session: session,
    Command: { name: 'string', args: 'string?', help: 'string', group: 'string', while_answering: 'string' },
    CommandButton: { label: 'string', line: 'string' },
    CommandFile: { name: 'string', text: 'string' },
    Tag: { id: 'string', name: 'string', colour: 'integer', url: 'string' },
    CountedTag: { id: 'string', name: 'string', colour: 'integer', url: 'string', sessions: 'integer' },
    Usage: { input_tokens: 'integer', output_tokens: 'integer', cached_tokens: 'integer', reasoning_tokens: 'integer' },
    Batch: { id: 'string', action: 'string', running: 'boolean', undone: 'boolean', total: 'integer', done: 'integer', changed: 'integer', not_found: 'integer' },
    ToolUse: { name: 'string', calls: 'integer' },
    Branch: { last_message: 'string', url: 'string', current: 'boolean', created_at: 'string?' },
    UsageSum: usageSum,
    UsageModel: { provider: 'string', model: 'string', ...usageSum },
    SessionModel: { provider: 'string', model: 'string', ...tokenSum },
    UsageMonth: { cost: 'integer', limit: 'integer' },
    UsageDay: { day: 'string', ...usageSum, models: ['UsageModel'] },
    Fact: { id: 'string', text: 'string', url: 'string' },
    CompactionMark: { id: 'string', url: 'string', messages: 'integer', tokens_before: 'integer', tokens_after: 'integer', created_at: 'string' },
    Picture: { id: 'string', url: 'string', media_type: 'string', width: 'integer', height: 'integer', bytes: 'integer', alt: 'string?' },
    Message: {
        id: 'string', session: 'string', url: 'string', parent_id: 'string?', role: 'string', status: 'string', text: 'string', pictures: ['Picture'], error: 'string?', stop: 'string?', created_at: 'string',
        model: 'string?', edited: 'boolean', calls_tools: 'boolean', calls: ['ToolCall'], usage: 'Usage?', reasoning: 'string?', reasoning_ms: 'integer', turn: 'string?', tool: 'string?', arguments: 'string?',
        sibling: 'integer', siblings: 'integer', prev_id: 'string?', next_id: 'string?', facts: ['Fact'], suggestions: ['Suggestion'], compaction: 'CompactionMark?',
    },
    ToolCall: { id: 'string', name: 'string', arguments: 'string' },
    Piece: { text: 'string', hit: 'boolean' },
    FoundSession: { ...session, summary_url: 'string?', ...snippet },
    FoundFile: { id: 'string', url: 'string', workspace: 'string', name: 'string', changed_at: 'string', ...snippet },
    FoundMemory: { id: 'string', url: 'string', text: 'string', tags: 'string', created_at: 'string', ...source, source_in_trash: 'boolean', ...snippet },
    FoundMessage: {
        id: 'string', url: 'string', session: 'string', title: 'string?', role: 'string', created_at: 'string', ...snippet, before: 'string?', after: 'string?',
    },
    Progress: { done: 'integer?', total: 'integer?', stuck: 'string?' },
    Memory: { id: 'string', text: 'string', tags: 'string', permanent: 'boolean', created_at: 'string', used_at: 'string?', expires_at: 'string?', ...source, source_in_trash: 'boolean' },
    Suggestion: {
        id: 'string', kind: 'string', state: 'string', asks: 'boolean', question: 'string', text: 'string?', new_text: 'string?', tags: 'string?', due: 'string?', subject: 'string?',
        session: 'string?', message: 'string?', ...source, can_undo: 'boolean', created_at: 'string', lapses_at: 'string?',
    },
    Reminder: { id: 'string', kind: 'string', text: 'string', task: 'string?', session: 'string?', at: 'string', zone: 'string?', repeat: 'string?', words: 'string', next_at: 'string?', snoozed_until: 'string?', paused: 'boolean', waits: 'boolean', told_at: 'string?', created_at: 'string', ...source, source_in_trash: 'boolean' },
    Task: { id: 'string', text: 'string', due: 'string?', time: 'string?', repeat: 'string?', next: 'string?', overdue: 'boolean', done: 'boolean', created_at: 'string', done_at: 'string?', ...source, source_in_trash: 'boolean' },
    Persona: { id: 'string', name: 'string', text: 'string', shared: 'boolean', own: 'boolean', can_change: 'boolean', choice: 'string?', temperature: 'string?', tools: 'string' },
    WorkspaceFile: workspaceFile,
    WholeWorkspaceFile: { ...workspaceFile, text: 'string' },
    Prompt: { id: 'string', name: 'string', text: 'string', shared: 'boolean', own: 'boolean', can_change: 'boolean' },
    Summary: {
        id: 'string', version: 'integer', whole: 'boolean', current: 'boolean', first_id: 'string', last_id: 'string', url: 'string',
        messages: 'integer', text: 'string', by_rule: 'boolean', model: 'string?', created_at: 'string',
    },
    PendingSummaries: { count: 'integer', state: 'string' },
    Compaction: {
        id: 'string', url: 'string', transcript_url: 'string?', messages_url: 'string', first_id: 'string', last_id: 'string', messages: 'integer',
        tokens_before: 'integer', tokens_after: 'integer', keep: 'string', text: 'string', facts: ['string'], by_rule: 'boolean', model: 'string?', created_at: 'string',
    },
    Transfer: {
        id: 'string', kind: 'string', format: 'string?', state: 'string', total: 'integer', done: 'integer', grown: 'integer', skipped: 'integer', known: 'integer', changed: 'integer', facts: 'integer', pictures_left_out: 'integer', paused: 'integer',
        percent: 'integer', bytes: 'integer', error: 'string?', file_url: 'string?', created_at: 'string', expires_at: 'string?',
    },
    ApiToken: { id: 'string', name: 'string', begins: 'string', scopes: 'string', use_memory: 'boolean', use_tools: 'boolean', created_at: 'string', used_at: 'string?', address: 'string?', expires_at: 'string?', expired: 'boolean' },
    TrashEntry: {
        id: 'string', kind: 'string', title: 'string?', session: 'string', session_in_trash: 'boolean', message: 'string?', role: 'string?', text: 'string?', message_count: 'integer',
        deleted_at: 'string', erased_at: 'string',
    },
    OutgoingMessage: {
        id: 'string', state: 'string', channel: 'string', chat: 'string', thread: 'string?', group: 'boolean', paused: 'boolean', user: 'string?', bytes: 'integer', attempts: 'integer',
        reason: 'string?', created_at: 'string', next_at: 'string?', ended_at: 'string?',
    },
    OutboxCounts: { waiting: 'integer', sending: 'integer', sent: 'integer', failed: 'integer', doubtful: 'integer' },
    ChannelProblem: { channel: 'string', label: 'string', task: 'string', reason: 'string', at: 'string', next_at: 'string?' },
    FieldError: { pointer: 'string~', parameter: 'string~', detail: 'string' },
    Error: { code: 'string', message: 'string', retry_after: 'integer~' },
    Comparison: { asked: 'string', answers: ['ComparedAnswer'] },
    ComparedAnswer: { message: 'string', end: 'string', turn: 'string?' },
    SecondTurn: { turn: 'string', reply: 'string' },
    TurnEvent: { turn: 'string', session: 'string', asked: 'string', reply: 'string' },
    TextEvent: { message: 'string', text: 'string' },
    StepEvent: { message: 'Message', results: ['Message'], reply: 'string' },
    StatusEvent: { status: 'string', wait_ms: 'integer~', message: 'string~', text: 'string~' },
    UsageEvent: { usage: 'Usage?' },
    EndEvent: { status: 'string', message: 'Message', session: 'Session' },
};

/** The data of a turn's events, by their names. */
export const events = { turn: 'TurnEvent', text: 'TextEvent', step: 'StepEvent', status: 'StatusEvent', usage: 'UsageEvent', end: 'EndEvent' };

const me = { name: 'string', display_name: 'string?', role: 'string', time_zone: 'string?', csrf: 'string?', scopes: 'string?', choices: ['Choice'] };
const settings = { theme: 'string', language: 'string', time_zone: 'string', send_key: 'string', text_size: 'string', notifications: 'boolean', display_name: 'string', model: 'string', about_me: 'string', answer_style: 'string', web_search: 'boolean', connected_tools: 'boolean' };
const oneSession = { session: 'Session' };
const page = { messages: ['Message'], older: 'string?', newer: 'string?', comparison: 'Comparison?' };
const started = { session: 'Session', turn: 'string', asked: 'string', reply: 'string', second: 'SecondTurn?' };
const summaries = { session: 'Session', summaries: ['Summary'], next: 'integer?', pending: 'PendingSummaries?' };
const related = { related: ['FoundSession'] };
const keptMemory = { memory: 'Memory', known_before: 'boolean' };

/** The JSON answers, by route. */
export const answers = {
    'POST /api/signin': me,
    'POST /api/signout': {},
    'GET /api/health': { status: 'string', reason: 'string?' },
    'GET /api/me': me,
    'PATCH /api/me': me,
    'GET /api/tokens': { tokens: ['ApiToken'] },
    'POST /api/tokens': { token: 'ApiToken', secret: 'string' },
    'DELETE /api/tokens/{}': {},
    'GET /api/personas': { personas: ['Persona'] },
    'POST /api/personas': { persona: 'Persona' },
    'GET /api/personas/{}': { persona: 'Persona' },
    'PATCH /api/personas/{}': { persona: 'Persona' },
    'DELETE /api/personas/{}': {},
    'GET /api/prompts': { prompts: ['Prompt'] },
    'POST /api/prompts': { prompt: 'Prompt' },
    'GET /api/prompts/{}': { prompt: 'Prompt' },
    'PATCH /api/prompts/{}': { prompt: 'Prompt' },
    'DELETE /api/prompts/{}': {},
    'PATCH /api/workspace': { workspace: 'string' },
    'DELETE /api/workspace': {},
    'GET /api/workspace/instructions': { workspace: 'string', text: 'string' },
    'PATCH /api/workspace/instructions': { workspace: 'string', text: 'string' },
    'GET /api/workspace/files': { files: ['WorkspaceFile'] },
    'POST /api/workspace/files': { file: 'WorkspaceFile' },
    'POST /api/workspace/documents': { file: 'WorkspaceFile' },
    'GET /api/workspace/files/{}': { file: 'WholeWorkspaceFile' },
    'DELETE /api/workspace/files/{}': {},
    'GET /api/settings': settings,
    'PATCH /api/settings': settings,
    'GET /api/sessions': { sessions: ['Session'], next: 'string?', newer: 'string?', workspaces: ['string'] },
    'GET /api/tags': { tags: ['CountedTag'] },
    'POST /api/tags': { tag: 'Tag' },
    'PATCH /api/tags/{}': { tag: 'Tag' },
    'DELETE /api/tags/{}': {},
    'POST /api/tags/{}/merge': { tag: 'Tag' },
    'GET /api/sessions/{}': { session: 'Session', ...page, turn: 'string?' },
    'PATCH /api/sessions/{}': oneSession,
    'DELETE /api/sessions/{}': { erased_at: 'string?' },
    'POST /api/sessions/{}/head': oneSession,
    'POST /api/sessions/{}/seen': oneSession,
    'POST /api/sessions/{}/pin': oneSession,
    'POST /api/sessions/{}/unpin': oneSession,
    'GET /api/sessions/{}/related': related,
    'GET /api/sessions/{}/summaries': summaries,
    'POST /api/sessions/{}/summaries': summaries,
    'POST /api/sessions/{}/compact': oneSession,
    'GET /api/sessions/{}/compactions': { session: 'Session', compactions: ['Compaction'], next: 'string?' },
    'GET /api/sessions/{}/compactions/{}': { session: 'Session', compaction: 'Compaction' },
    'GET /api/sessions/{}/messages': page,
    'POST /api/sessions/{}/messages': started,
    'POST /api/sessions/{}/messages/{}/edit': started,
    'POST /api/sessions/{}/messages/{}/continue': started,
    'POST /api/sessions/{}/messages/{}/regenerate': started,
    'PATCH /api/sessions/{}/messages/{}': { message: 'Message' },
    'DELETE /api/sessions/{}/messages/{}': { session: 'Session', messages: 'integer', trash: 'string?' },
    'GET /api/trash': { trash: ['TrashEntry'], next: 'string?' },
    'DELETE /api/trash': {},
    'POST /api/trash/restore': { restored: 'integer' },
    'POST /api/trash/{}/restore': { session: 'Session', message: 'string?' },
    'DELETE /api/trash/{}': {},
    'GET /api/turns/{}': { turn: 'string', status: 'string', session: 'string', asked: 'string', reply: 'string' },
    'POST /api/turns/{}/stop': { turn: 'string', status: 'string' },
    'GET /api/models': { models: ['Model'], total: 'integer' },
    'GET /api/search': { notices: ['string'], memories: ['FoundMemory'], sessions: ['FoundSession'], files: ['FoundFile'], hits: ['FoundMessage'] },
    'GET /api/search/progress': { progress: 'Progress?' },
    'GET /api/sessions/{}/details': {
        session: 'Session', created_at: 'string', questions: 'integer', answers: 'integer', tool_calls: 'integer', bytes: 'integer', compactions: 'integer', summaries: 'integer',
        branch_count: 'integer', currency: 'string?', cost: 'integer?', models: ['SessionModel'], tools: ['ToolUse'], channels: ['string'], branches: ['Branch'],
    },
    'POST /api/sessions/batch': { batch: 'Batch' },
    'GET /api/batches/{}': { batch: 'Batch' },
    'POST /api/batches/{}/undo': { batch: 'Batch' },
    'GET /api/usage': { currency: 'string?', month: 'UsageMonth?', total: 'UsageSum', models: ['UsageModel'], days: ['UsageDay'] },
    'GET /api/usage/all': { currency: 'string?', month: 'UsageMonth?', total: 'UsageSum', models: ['UsageModel'], days: ['UsageDay'] },
    'GET /api/jobs/progress': { progress: 'Progress?' },
    'GET /api/outbox': { problems: ['ChannelProblem'], counts: 'OutboxCounts', messages: ['OutgoingMessage'] },
    'POST /api/outbox/{}/retry': {},
    'DELETE /api/outbox/{}': {},
    'POST /api/outbox/resume': {},
    'GET /api/memories': { memories: ['Memory'], next: 'string?', paused: 'boolean' },
    'POST /api/memories': keptMemory,
    'GET /api/memories/{}': { memory: 'Memory' },
    'PATCH /api/memories/{}': { memory: 'Memory' },
    'DELETE /api/memories/{}': {},
    'GET /api/suggestions': { suggestions: ['Suggestion'] },
    'POST /api/suggestions/{}/keep': { suggestion: 'Suggestion' },
    'POST /api/suggestions/{}/dismiss': { suggestion: 'Suggestion' },
    'POST /api/suggestions/{}/undo': { suggestion: 'Suggestion' },
    'POST /api/suggestions/keep': { kept: 'integer' },
    'GET /api/commands': { commands: ['Command'] },
    'POST /api/commands': {
        markdown: 'string', buttons: ['CommandButton'], session: 'string?', no_session: 'boolean', unknown: 'boolean', answers: 'boolean', file: 'CommandFile?',
    },
    'GET /api/reminders': { reminders: ['Reminder'] },
    'POST /api/reminders': { reminder: 'Reminder' },
    'GET /api/reminders/{}': { reminder: 'Reminder' },
    'PATCH /api/reminders/{}': { reminder: 'Reminder' },
    'DELETE /api/reminders/{}': {},
    'POST /api/reminders/{}/restore': { reminder: 'Reminder' },
    'POST /api/reminders/{}/done': { reminder: 'Reminder' },
    'POST /api/reminders/{}/snooze': { reminder: 'Reminder' },
    'GET /api/tasks': { tasks: ['Task'], next: 'string?' },
    'POST /api/tasks': { task: 'Task' },
    'GET /api/tasks/{}': { task: 'Task' },
    'PATCH /api/tasks/{}': { task: 'Task' },
    'DELETE /api/tasks/{}': {},
    'POST /api/exports': { transfer: 'Transfer' },
    'POST /api/pictures': { picture: 'Picture' },
    'POST /api/imports': { transfer: 'Transfer' },
    'GET /api/shares': { shares: ['Share'] },
    'GET /api/sessions/{}/shares': { shares: ['Share'] },
    'POST /api/sessions/{}/shares': { share: 'Share' },
    'POST /api/shares/{}/renew': { share: 'Share' },
    'DELETE /api/shares/{}': {},
    'GET /api/transfers': { transfers: ['Transfer'] },
    'GET /api/transfers/{}': { transfer: 'Transfer' },
    'DELETE /api/transfers/{}': {},
};

/** {type, nullable, optional, item} of a property's word. */
export function typeOf(word) {
    if (Array.isArray(word)) return { type: 'array', nullable: false, optional: false, item: word[0] };
    return { type: word.replace(/[?~]/g, ''), nullable: word.includes('?'), optional: word.includes('~'), item: null };
}

const plain = ['string', 'integer', 'boolean'];

function property(word) {
    const { type, nullable, item } = typeOf(word);
    if (item) return { type: 'array', items: property(item) };
    const ref = { $ref: `#/components/schemas/${type}` };
    if (type in schemas) return nullable ? { oneOf: [ref, { type: 'null' }] } : ref;
    if (!plain.includes(type)) throw new Error(`'${type}' is neither a type nor a schema`);
    return { type: nullable ? [type, 'null'] : type };
}

/** A table of words as JSON Schema. */
export function schemaOf(properties) {
    const required = Object.entries(properties).filter(([, word]) => !typeOf(word).optional).map(([name]) => name);
    return { type: 'object', required, properties: Object.fromEntries(Object.entries(properties).map(([name, word]) => [name, property(word)])) };
}
