import type { Client } from '@muster/client';
import type { Command } from 'commander';
import {
  addClientCommand,
  addListFlags,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  type CommandHelp,
  openContext,
} from './client-command.ts';
import type { Connection } from './connection/connect.ts';
import { chooseProjectID } from './connection/find-resources.ts';
import { printList } from './output/print-list.ts';
import type { View } from './output/printer.ts';
import { type LastFlags, pageSizeFor } from './output/take-last.ts';
import type { Terminal } from './terminal/terminal.ts';

interface ListCommand<Item> extends CommandHelp {
  readonly view: View<Item>;
  /** The items of the list: `alert rules`. */
  readonly things: string;
  /** The message for an empty list. */
  readonly none: string;
  readonly list: (
    client: Client,
    query: { readonly projectID: string; readonly last: number },
  ) => Promise<AsyncIterable<{ readonly items: readonly Item[]; readonly next?: string }>>;
}

/** `list` below a noun: the things of a project, newest first, without filters. */
export function addListCommand<Item>(noun: Command, terminal: Terminal, options: ListCommand<Item>): void {
  const command = addClientCommand(noun, 'list', options);
  addListFlags(addProjectFlag(command)).action(async (flags: ClientFlags & LastFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const projectID = await chooseProjectID(connection, flags.project);
    const pages = await options.list(connection.client, { projectID, last: pageSizeFor(flags) });
    await printList(printer, { ...options, pages, flags });
  });
}

interface GetCommand<Item> extends CommandHelp {
  /** In the notation of the help: `<name|id>`. */
  readonly argument: string;
  readonly view: View<Item>;
  /** The id of the thing in the project that the flag names. */
  readonly find: (connection: Connection, nameOrID: string, project: string | undefined) => Promise<string>;
  readonly get: (client: Client, id: string) => Promise<Item>;
}

/** `get` below a noun: one thing of a project. */
export function addGetCommand<Item>(noun: Command, terminal: Terminal, options: GetCommand<Item>): void {
  const command = addClientCommand(noun, `get ${options.argument}`, options);
  addOutputFlags(addProjectFlag(command)).action(async (nameOrID: string, flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const id = await options.find(connection, nameOrID, flags.project);
    printer.one(await options.get(connection.client, id), options.view);
  });
}
