import type { Client } from '@muster/client';
import type { Command } from 'commander';
import {
  addClientCommand,
  addListFlags,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  type CommandContext,
  type CommandHelp,
  openContext,
} from './client-command.ts';
import type { Connection } from './connection/connect.ts';
import { chooseProjectID } from './connection/find-resources.ts';
import { printList } from './output/print-list.ts';
import type { View } from './output/printer.ts';
import { type LastFlags, pageSizeFor } from './output/take-last.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Flags of every list. */
export interface ListFlags extends ClientFlags, LastFlags {}

/** The pages of a list, as the SDK returns them. */
type Pages<Item> = AsyncIterable<{ readonly items: readonly Item[]; readonly next?: string }>;

interface ShownList<Item, Flags> extends CommandHelp {
  readonly view: View<Item>;
  /** The items of the list: `alert rules`. */
  readonly things: string;
  /** The message for an empty list. */
  readonly none: string;
  /** Adds flags that only this list has. */
  readonly addFlags?: (command: Command) => Command;
  /** The filters that the user gave, by flag. */
  readonly filters?: (flags: Flags) => Readonly<Record<`--${string}`, string | undefined>>;
}

interface ProjectListCommand<Item, Flags> extends ShownList<Item, Flags> {
  readonly list: (
    connection: Connection,
    query: { readonly projectID: string; readonly last: number },
    flags: Flags,
  ) => Promise<Pages<Item>>;
  /** Asks for what a person wants to know beside them. Absent: nothing. */
  readonly viewOf?: (connection: Connection, projectID: string) => Promise<View<Item>>;
}

/** `list` below a noun: the things of a project, newest first. */
export function addListCommand<Item, Flags extends ListFlags = ListFlags>(
  noun: Command,
  terminal: Terminal,
  options: ProjectListCommand<Item, Flags>,
): void {
  const command = addListFlags(addProjectFlag(addClientCommand(noun, 'list', options)));
  listOnAction(command, terminal, options, async ({ connection, printer }, last, flags) => {
    const projectID = await chooseProjectID(connection, flags.project);
    const { view, viewOf } = options;
    const isPlain = printer.isForScript || viewOf === undefined;
    return {
      pages: await options.list(connection, { projectID, last }, flags),
      view: isPlain ? view : await viewOf(connection, projectID),
    };
  });
}

interface InstallationListCommand<Item, Flags> extends ShownList<Item, Flags> {
  readonly list: (
    connection: Connection,
    query: { readonly last: number },
    flags: Flags,
  ) => Promise<Pages<Item>>;
}

/** `list` below a noun: things that belong to no project, newest first. */
export function addInstallationListCommand<Item, Flags extends ListFlags = ListFlags>(
  noun: Command,
  terminal: Terminal,
  options: InstallationListCommand<Item, Flags>,
): void {
  const command = addListFlags(addClientCommand(noun, 'list', options));
  listOnAction(command, terminal, options, async ({ connection }, last, flags) => ({
    pages: await options.list(connection, { last }, flags),
    view: options.view,
  }));
}

function listOnAction<Item, Flags extends ListFlags>(
  command: Command,
  terminal: Terminal,
  options: ShownList<Item, Flags>,
  list: (
    context: CommandContext,
    last: number,
    flags: Flags,
  ) => Promise<{ readonly pages: Pages<Item>; readonly view: View<Item> }>,
): void {
  const { things, none, addFlags, filters } = options;
  (addFlags?.(command) ?? command).action(async (flags: Flags) => {
    const context = await openContext(terminal, flags);
    const { pages, view } = await list(context, pageSizeFor(flags), flags);
    await printList(context.printer, { pages, flags, view, things, none, filters: filters?.(flags) ?? {} });
  });
}

interface GetCommand<Item> extends CommandHelp {
  /** In the notation of the help: `<name|id>`. */
  readonly argument: string;
  readonly view: View<Item>;
  /** The id of the thing in the project that the flag names. */
  readonly find: (connection: Connection, nameOrID: string, project: string | undefined) => Promise<string>;
  readonly get: (client: Client, id: string) => Promise<Item>;
  /** Asks for what a person wants to know beside it. Absent: nothing. */
  readonly viewOf?: (client: Client, item: Item) => Promise<View<Item>>;
}

/** `get` below a noun: one thing of a project. */
export function addGetCommand<Item>(noun: Command, terminal: Terminal, options: GetCommand<Item>): void {
  const command = addClientCommand(noun, `get ${options.argument}`, options);
  addOutputFlags(addProjectFlag(command)).action(async (nameOrID: string, flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const id = await options.find(connection, nameOrID, flags.project);
    const item = await options.get(connection.client, id);
    const { view, viewOf } = options;
    const isPlain = printer.isForScript || viewOf === undefined;
    printer.one(item, isPlain ? view : await viewOf(connection.client, item));
  });
}
