/** After so long, what a test waits for never comes. It bounds no speed: a loaded machine is ten times slower. */
export const WAIT_MS = 60_000;
