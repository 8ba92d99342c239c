/** The shapes that modules and the server share. Types only: no browser loads this file. */
export type El = HTMLElement;
export type Fn = () => void;

/** A session, as the API answers with it. */
export interface Session {
  id: string;
  /** null: none yet */
  title: string | null;
  /** by the model or the user: the title stays */
  named: boolean;
  url: string;
  running: boolean;
  unread: boolean;
  pinned: boolean;
  /** RFC 3339 */
  active_at: string;
  context: Context;
}

/** The fill of the window of a session's model. */
export interface Context {
  tokens: number;
  window: number;
  percent: number;
  known: boolean;
  compacting: boolean;
  error: string | null;
}

/** A turn that is followed. */
export interface Turn {
  turn: string;
  /** the message being written */
  reply: string;
  /** the server has accepted it, and `turn` is its id */
  began: boolean;
  stopping: boolean;
  /** turns that answer the same question and still run */
  also: string[];
  /** it has ended, and one of those has not */
  over?: boolean;
  /** a message is being changed; what is sent goes below the result */
  changing?: Promise<unknown>;
}

/** A picture that the server has. */
export interface Picture {
  id: string;
  /** in pixels */
  width: number;
  height: number;
}

/** A text file of a message. */
export interface TextFile {
  name: string;
  text: string;
}

/** A message that is being written or sent. */
export interface Message {
  text: string;
  /** where the first pasted text begins in it */
  pasted?: number;
  /** absent: none */
  pictures?: Picture[];
  /** absent: none */
  files?: TextFile[];
  /** the second model that answers it */
  compare_with?: string;
}

/** A request that starts a turn. */
export interface Ask {
  /** after /page/sessions/{id}/ */
  path: string;
  body: { client_id: string; text?: string; pictures?: string[]; parent?: string; end?: string; choice?: string; compare_with?: string; once?: boolean; effort?: string; pasted_from?: number };
  /** shown at once, and given back when the server refuses */
  message?: Message;
}

/** Callbacks about the turn. */
export interface Listener {
  running?(on: boolean): void;
  /** a new chat got its id */
  named?(id: string, title: string | null): void;
  ended?(status: string, session: Session | null): void;
  /** the session has changed, here or elsewhere */
  changed?(): void;
  /** nothing was accepted */
  refused?(e: import("./api").ApiError, ask: Ask): void;
}

/** A turn's events, from a POST that starts it or from its id. */
export interface Following {
  first?: (signal: AbortSignal) => Promise<Response>;
  turn?: string;
  /** false: it does not fit what is here, and the turn is read from its beginning */
  on(name: string, data: any): boolean;
  /** the connection broke, or is back */
  lost(lost: boolean): void;
  /** nothing more will come */
  fail(e: import("./api").ApiError): void;
}

export type Queue = ReturnType<typeof import("./composer/queue.js")["queue"]>;

/** A message above the box; id is the client id it will be sent with. */
export interface Waiting extends Message {
  id: string;
  /** it is sent when the running answer has ended, however */
  now?: boolean;
  /** it is sent only when the user says so */
  held?: boolean;
}

/** block index, characters of the old HTML that stay, the new rest */
export type Change = [number, number, string];
