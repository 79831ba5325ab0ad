// Generated from the OpenAPI document by 'npm run client': change the contract, not this file.

/**
 * A permission of a token: action:resource, with `*` for every action or every resource, including those of later versions.
 *
 * @example
 * ```ts
 * const permissions: Permission[] = ['create:agent_error', 'read:*'];
 * const body: CreateToken = { name: 'ci-deploy', permissions };
 * ```
 */
export type Permission =
    | '*'
    | 'create:project'
    | 'create:token'
    | 'create:own_token'
    | 'create:agent'
    | 'create:agent_error'
    | 'create:fleet'
    | 'create:core_instance'
    | 'create:webhook'
    | 'create:member'
    | 'create:audit_log'
    | 'create:*'
    | 'read:project'
    | 'read:token'
    | 'read:own_token'
    | 'read:agent'
    | 'read:agent_error'
    | 'read:fleet'
    | 'read:core_instance'
    | 'read:webhook'
    | 'read:member'
    | 'read:audit_log'
    | 'read:*'
    | 'update:project'
    | 'update:token'
    | 'update:own_token'
    | 'update:agent'
    | 'update:agent_error'
    | 'update:fleet'
    | 'update:core_instance'
    | 'update:webhook'
    | 'update:member'
    | 'update:audit_log'
    | 'update:*'
    | 'delete:project'
    | 'delete:token'
    | 'delete:own_token'
    | 'delete:agent'
    | 'delete:agent_error'
    | 'delete:fleet'
    | 'delete:core_instance'
    | 'delete:webhook'
    | 'delete:member'
    | 'delete:audit_log'
    | 'delete:*'
    | '*:project'
    | '*:token'
    | '*:own_token'
    | '*:agent'
    | '*:agent_error'
    | '*:fleet'
    | '*:core_instance'
    | '*:webhook'
    | '*:member'
    | '*:audit_log'
    | '*:*';

/**
 * The code of an invitation.
 *
 * @example
 * ```ts
 * const body: AcceptInvitation = { code: 'mst_i_…' };
 * await acceptInvitation(client, { body });
 * ```
 */
export type AcceptInvitation = {
    /**
     * The code of the invitation.
     */
    code: string;
};

/**
 * The project, and the role of the user there.
 *
 * @example
 * ```ts
 * const acceptedInvitation: AcceptedInvitation = await acceptInvitation(client, { body: { code: 'mst_i_…' } });
 * ```
 */
export type AcceptedInvitation = {
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    /**
     * UUIDv7, lower case.
     */
    userID: string;
    /**
     * `custom`: a list of permissions of its own.
     */
    role: 'owner' | 'operator' | 'viewer' | 'custom';
    /**
     * What the role permits in the project.
     */
    permissions: Array<Permission>;
};

/**
 * A credential of a person or of an operator's script.
 *
 * @example
 * ```ts
 * const accessToken: AccessToken = await createAccessToken(client, { body: { name: 'laptop', permissions: ['read:*'] } });
 * ```
 */
export type AccessToken = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * The whole value in the answer that created the token; masked everywhere else.
     */
    token: string;
    name: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    expiresAt: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastUsedAt: string | null;
    /**
     * The permissions to which it is narrowed, of those that its user has. Null: all of them.
     */
    permissions: Array<Permission> | null;
    /**
     * The projects to which it is narrowed. Null: all projects of its user, and the installation.
     */
    projects: Array<string> | null;
    /**
     * When somebody last reported that they have found a value of it.
     */
    leakedAt: string | null;
    /**
     * Where the value was found, in the words of whoever reported it.
     */
    leakSource: string | null;
    /**
     * The access token that created it. It is revoked with that one.
     */
    createdWith: string | null;
};

/**
 * Who did it: a user, a project token, an agent, a core instance, or the service itself (id null).
 *
 * @example
 * ```ts
 * const { createdBy }: { createdBy: Actor } = await getToken(client, { tokenID });
 * ```
 */
export type Actor = {
    kind: 'user' | 'project_token' | 'agent' | 'core_instance' | 'system';
    /**
     * UUIDv7, lower case.
     */
    id: string | null;
    /**
     * In the audit log, of tokens and of alerts, its name at that time; elsewhere its name now. Null or absent: it has no name, or it is not known.
     */
    name?: string | null;
};

/**
 * A user of the installation, and their role in the project.
 *
 * @example
 * ```ts
 * const body: AddMember = { userID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', role: 'operator' };
 * await addMember(client, { projectID, body });
 * ```
 */
export type AddMember = {
    /**
     * The user.
     */
    userID: string;
    /**
     * `owner`: everything, members included. `operator`: everything but members and the project itself. `viewer`: reads everything. Leave it out to give a list of permissions.
     */
    role?: 'owner' | 'operator' | 'viewer' | undefined;
    /**
     * Instead of a role: exactly these permissions, such as `read:*` and `update:agent_error`.
     */
    permissions?: ReadonlyArray<Permission> | undefined;
};

/**
 * One process that collects telemetry on one host.
 *
 * @example
 * ```ts
 * const { items }: { items: Agent[] } = await listAgents(client, { projectID }).first();
 * ```
 */
export type Agent = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    name: string;
    machineID: string;
    /**
     * `fluentbit`, `fluentd`, `vector`, `otelcol` or any other type.
     */
    type: string | null;
    /**
     * As the agent reports it.
     */
    version: string | null;
    edition: string | null;
    os: string | null;
    arch: string | null;
    /**
     * The arguments that started the agent. Secrets in them are replaced before they are stored.
     */
    flags: Array<string>;
    /**
     * Secrets in it are replaced before it is stored. Fields that would exceed MUSTER_MAX_METADATA_BYTES_PER_AGENT, measured as JSON, are left out; the answer then has `Muster-Left-Out`.
     */
    metadata: {
        [key: string]: unknown;
    };
    tags: Array<string>;
    /**
     * The fleet that the agent reports; in answers, the id of that fleet if there is one here.
     */
    fleetID: string | null;
    /**
     * The first that applies. `unknown`: a core instance speaks for it, and that one is not heard. `stopped`: it said that it ends, without a failure, and was not heard since. `unhealthy`: it ended with a failure and was not heard since. `offline`: it promised signs of life, and three of its intervals (at least 90 seconds) passed without one. `unhealthy`: it is in a crash loop, or has an open error of the configuration that it runs. `healthy`: everything else.
     */
    status: 'healthy' | 'unhealthy' | 'offline' | 'stopped' | 'unknown';
    /**
     * Since when the agent is in this state: it ended, was missed, first failed, or its oldest open error was created. Of a healthy agent, when it last stopped being anything else, or was registered.
     */
    statusSince: string;
    /**
     * Why it is in this state, in a sentence. Null: it is healthy.
     */
    statusReason: string | null;
    /**
     * Open errors of the configuration that it runs.
     */
    openErrorsCount: number;
    /**
     * The oldest of them. Null: there is none, or the caller has no `read:agent_error`.
     */
    openError: OpenAgentError | null;
    /**
     * UUIDv7, lower case.
     */
    configID: string | null;
    /**
     * Null: it is in no fleet of this service.
     */
    fleet: {
        /**
         * UUIDv7, lower case.
         */
        id: string;
        name: string;
        /**
         * The newest version that is for it. Null: it is not known.
         */
        versionID: string | null;
        versionNumber: number | null;
        /**
         * How far it is with that version. `offered`: it was told of it. `downloaded`: it has it, and has not said yet that it runs it. `applied`: it runs it. `rejected`: it has had it for more than a minute, and still runs what it ran before. `unknown`: agents that all ask with the id of their fleet are known only when they report another configuration.
         */
        state: 'unknown' | 'offered' | 'downloaded' | 'applied' | 'rejected';
        /**
         * True: it runs other plugins than the first agent that ran this version.
         */
        isDrifted: boolean;
    } | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastSeenAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    updatedAt: string;
    /**
     * When its machine was last registered again by a caller that did not send its token. Null: never.
     */
    reregisteredAt: string | null;
    /**
     * The address that did so.
     */
    reregisteredFrom: string | null;
    /**
     * The core instance that last spoke for it. Null: it spoke itself.
     */
    coreInstanceID: string | null;
    /**
     * When an operator released its machine for the next registration. Null: not released.
     */
    releasedAt: string | null;
};

/**
 * A configuration that an agent has run.
 *
 * @example
 * ```ts
 * const { items }: { items: AgentConfig[] } = await listAgentConfigs(client, { agentID }).first();
 * ```
 */
export type AgentConfig = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * The configuration that the agent runs. Secrets in it are replaced before it is stored. If it has more than 1,048,576 characters, only a line that says so is stored.
     */
    rawConfig: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
};

/**
 * A configuration of an agent, with the causes of errors that came and went with it. Errors that are no longer stored are not counted.
 *
 * @example
 * ```ts
 * const { items }: { items: AgentConfigChange[] } = await listAgentConfigChanges(client, { agentID }).first();
 * ```
 */
export type AgentConfigChange = {
    /**
     * UUIDv7, lower case.
     */
    configID: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * True for the configuration that the agent runs: what is gone with it may still come back.
     */
    current: boolean;
    /**
     * Stored errors of the agent with this configuration, open and dismissed.
     */
    errorsCount: number;
    /**
     * Groups of these errors.
     */
    causesCount: number;
    /**
     * Causes that the agent had with this configuration, and not with the one before it: the 20 with the most errors, the largest first.
     */
    came: Array<{
        /**
         * The group of the errors: UUIDv8, lower case.
         */
        groupID: string;
        /**
         * What the errors of the group have in common.
         */
        pattern: string;
        /**
         * Stored errors of the agent with this cause, open and dismissed, of the configuration that had them.
         */
        errorsCount: number;
        /**
         * When the first of these errors was created.
         */
        firstSeenAt: string;
        /**
         * When one of these errors was last reported.
         */
        lastSeenAt: string;
    }>;
    /**
     * All causes that came.
     */
    cameCount: number;
    /**
     * Causes that the agent had with the configuration before this one, and not with this one: the 20 with the most errors, the largest first.
     */
    went: Array<{
        /**
         * The group of the errors: UUIDv8, lower case.
         */
        groupID: string;
        /**
         * What the errors of the group have in common.
         */
        pattern: string;
        /**
         * Stored errors of the agent with this cause, open and dismissed, of the configuration that had them.
         */
        errorsCount: number;
        /**
         * When the first of these errors was created.
         */
        firstSeenAt: string;
        /**
         * When one of these errors was last reported.
         */
        lastSeenAt: string;
    }>;
    /**
     * All causes that went.
     */
    wentCount: number;
};

/**
 * The difference of two configurations. `from` is null if there is none before `to`.
 *
 * @example
 * ```ts
 * const agentConfigDiff: AgentConfigDiff = await getAgentConfigDiff(client, { agentID });
 * ```
 */
export type AgentConfigDiff = {
    from: {
        /**
         * UUIDv7, lower case.
         */
        id: string;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        createdAt: string;
    } | null;
    to: {
        /**
         * UUIDv7, lower case.
         */
        id: string;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        createdAt: string;
    };
    /**
     * Unified format, with three lines around each change. Empty: as stored, without their secrets, the configurations are equal. Its lines can contain control characters.
     */
    diff: string;
    addedLines: number;
    removedLines: number;
    /**
     * True: more than 1,000 lines differ, or more than 20,000 lines lie between the first and the last difference. Everything between these two is then shown as replaced.
     */
    isCoarse: boolean;
};

/**
 * A text message about an agent. While it is open, repeats of its text are counted and not stored again. After the agent's configuration changes, the same text is stored as a new error, and this one stays open until it is dismissed.
 *
 * @example
 * ```ts
 * const agentError: AgentError = await reopenAgentError(client, { agentErrorID });
 * ```
 */
export type AgentError = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    agentID: string;
    error: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    dismissedAt: string | null;
    dismissReason: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    dismissedBy: Actor | null;
    /**
     * How often the error was reported, including the first time.
     */
    occurrences: number;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastSeenAt: string;
    /**
     * UUIDv7, lower case.
     */
    configID: string | null;
    /**
     * True while its agent still has the configuration in which the error was created.
     */
    current: boolean;
    /**
     * The group of errors with the same cause. Null for a moment after an update of the service.
     */
    groupID: string | null;
};

/**
 * Agent errors with the same cause: their texts differ in numbers, ids, addresses or paths only.
 *
 * @example
 * ```ts
 * const agentErrorGroup: AgentErrorGroup = await getAgentErrorGroup(client, { agentErrorGroupID });
 * ```
 */
export type AgentErrorGroup = {
    /**
     * UUIDv8, lower case. The same cause in the same project always has the same id.
     */
    id: string;
    /**
     * The text without what differs between agents and times: numbers, ids, addresses, paths.
     */
    pattern: string;
    /**
     * The text of its first error.
     */
    example: string;
    /**
     * Agents with an error that matches the filter of the list.
     */
    agentsCount: number;
    /**
     * `agentsCount` divided by the number of agents of the project, or of the fleet of the filter.
     */
    agentsShare: number;
    /**
     * Errors that match the filter of the list. Without a filter: open and current ones.
     */
    errorsCount: number;
    /**
     * All stored errors of the group, whatever the filter.
     */
    errorsByState: {
        /**
         * Open errors of configurations that their agents still have.
         */
        current: number;
        /**
         * Open errors of earlier configurations.
         */
        superseded: number;
        /**
         * Dismissed errors.
         */
        dismissed: number;
    };
    /**
     * Agents with any of these errors.
     */
    storedAgentsCount: number;
    /**
     * How often its stored errors were reported, repeats included, whatever the filter.
     */
    occurrences: number;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    firstSeenAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastSeenAt: string;
    /**
     * UUIDv7, lower case.
     */
    firstConfigID: string | null;
    /**
     * True for 24 hours after `firstSeenAt`.
     */
    isNew: boolean;
    /**
     * When its last open and current error was dismissed; null as soon as there is another one.
     */
    dismissedAt: string | null;
    /**
     * When it came back after its errors had been dismissed: all of them, or those of the agent that has it again. Null after the next dismissal of all.
     */
    regressedAt: string | null;
    /**
     * Until then, new errors are stored as dismissed. Null: it is not muted.
     */
    mutedUntil: string | null;
    /**
     * True: the mute also ends when an agent that got another configuration after it began has the error.
     */
    muteEndsWithConfiguration: boolean;
    /**
     * The mute also ends when stored errors of the group, open and dismissed, are of this many agents. Null: it does not.
     */
    muteEndsAtAgentsCount: number | null;
    muteReason: string | null;
    mutedBy: Actor | null;
    /**
     * The user who looks after it.
     */
    assignee: Actor | null;
    /**
     * What people know of it.
     */
    note: string | null;
    /**
     * Where the work on it stands, such as a ticket.
     */
    link: string | null;
    /**
     * When the assignee, the note or the link was last changed.
     */
    notedAt: string | null;
    notedBy: Actor | null;
    /**
     * From the catalogue of known errors. Null: the error is not known.
     */
    explanation: {
        id: string;
        title: string;
        meaning: string;
        causes: Array<string>;
        /**
         * What to do. Commands stand in backticks.
         */
        actions: Array<string>;
        /**
         * A page of the agent's own documentation.
         */
        link: string;
        /**
         * The valid name nearest to the wrong one in `example`.
         */
        suggestion: string | null;
    } | null;
    /**
     * Everything that was stored or dismissed before this time is counted.
     */
    countedAt: string;
};

/**
 * An agent with errors of a group.
 *
 * @example
 * ```ts
 * const { items }: { items: AgentErrorGroupAgent[] } = await listAgentErrorGroupAgents(client, { agentErrorGroupID }).first();
 * ```
 */
export type AgentErrorGroupAgent = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    name: string;
    machineID: string;
    version: string | null;
    fleetID: string | null;
    /**
     * UUIDv7, lower case.
     */
    configID: string | null;
    /**
     * Null: it is in no fleet of this service.
     */
    fleet: {
        /**
         * UUIDv7, lower case.
         */
        id: string;
        name: string;
        /**
         * The newest version that is for it. Null: it is not known.
         */
        versionID: string | null;
        versionNumber: number | null;
        /**
         * How far it is with that version. `offered`: it was told of it. `downloaded`: it has it, and has not said yet that it runs it. `applied`: it runs it. `rejected`: it has had it for more than a minute, and still runs what it ran before. `unknown`: agents that all ask with the id of their fleet are known only when they report another configuration.
         */
        state: 'unknown' | 'offered' | 'downloaded' | 'applied' | 'rejected';
        /**
         * True: it runs other plugins than the first agent that ran this version.
         */
        isDrifted: boolean;
    } | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastSeenAt: string;
    /**
     * Errors of the group that match the filter. Without a filter: open and current ones.
     */
    errorsCount: number;
    /**
     * Its oldest open error of the group and of the configuration that it runs, whatever the filter. Null: there is none.
     */
    openError: OpenAgentError | null;
};

/**
 * A group of errors has its first error, has an error again that was dismissed, or was muted.
 *
 * @example
 * ```ts
 * const describe = ({ type, pattern }: AgentErrorGroupEvent) => [type, pattern];
 * ```
 */
export type AgentErrorGroupEvent = {
    type: 'agent_error_group.new' | 'agent_error_group.regressed' | 'agent_error_group.muted';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * UUIDv8, lower case.
     */
    groupID: string;
    /**
     * What the errors of the group have in common.
     */
    pattern: string;
};

/**
 * What was stored of a group over time.
 *
 * @example
 * ```ts
 * const agentErrorGroupHistory: AgentErrorGroupHistory = await getAgentErrorGroupHistory(client, { agentErrorGroupID });
 * ```
 */
export type AgentErrorGroupHistory = {
    /**
     * The length of time that is counted together.
     */
    bucket: 'minute' | 'hour' | 'day';
    /**
     * Oldest first, also those in which nothing was created. Hours and days are in UTC.
     */
    buckets: Array<{
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        startsAt: string;
        /**
         * Stored errors that were created in this time. Repeats of them are not counted.
         */
        errorsCount: number;
        /**
         * Agents of these errors.
         */
        agentsCount: number;
    }>;
};

/**
 * Where a group began, and who has it.
 *
 * @example
 * ```ts
 * const agentErrorGroupOrigin: AgentErrorGroupOrigin = await getAgentErrorGroupOrigin(client, { agentErrorGroupID });
 * ```
 */
export type AgentErrorGroupOrigin = {
    /**
     * The agent of the first error, with the configuration that it had. Once the group has come back: of the agents with present errors, the one that reported it first since then, with the configuration that it has. Null: it sent none, or it is no longer stored.
     */
    first: {
        /**
         * UUIDv7, lower case.
         */
        agentID: string;
        agentName: string;
        /**
         * UUIDv7, lower case.
         */
        configID: string;
        /**
         * When the agent got this configuration.
         */
        configuredAt: string;
    } | null;
    /**
     * Agents with open errors of the group and of the configuration that they have now.
     */
    affectedCount: number;
    /**
     * The fleet of all these agents. Null: they are in several, or in none.
     */
    fleetID: string | null;
    /**
     * Agents that have the configuration of `first` now. Configurations are the same if they differ in nothing but what each agent has for itself: its name, its machine id, what it adds for this service, and the values of variables in a version of a fleet.
     */
    configuredCount: number;
    /**
     * Those of them with such errors.
     */
    affectedConfiguredCount: number;
    /**
     * Agents of the project.
     */
    agentsCount: number;
};

/**
 * How the groups of a project grew in the last hour. Groups without a new error are absent.
 *
 * @example
 * ```ts
 * const agentErrorGroupTrends: AgentErrorGroupTrends = await getAgentErrorGroupTrends(client, { projectID });
 * ```
 */
export type AgentErrorGroupTrends = {
    /**
     * The start of the first bucket. Each takes 120 seconds.
     */
    since: string;
    /**
     * The groups with the most new errors in this time.
     */
    groups: Array<{
        /**
         * UUIDv8, lower case. The same cause in the same project always has the same id.
         */
        groupID: string;
        /**
         * Agents for which an error of the group was created in each bucket, oldest first.
         */
        agentsCounts: [
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number,
            number
        ];
    }>;
};

/**
 * The stored error, or the open error that an ignored report repeats.
 *
 * @example
 * ```ts
 * const body = [{ error: 'disk full' }];
 * const { items }: { items: AgentErrorResult[] } = await createAgentError(client, { agentID, body });
 * ```
 */
export type AgentErrorResult = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
};

/**
 * Errors of one group were created, dismissed or reopened. Created errors of a group are told of in one event per second.
 *
 * @example
 * ```ts
 * const describe = ({ type, count }: AgentErrorsEvent) => [type, count];
 * ```
 */
export type AgentErrorsEvent = {
    type: 'agent_error.created' | 'agent_error.dismissed' | 'agent_error.reopened';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * The group of the errors: UUIDv8, lower case.
     */
    groupID: string;
    /**
     * How many errors of the group.
     */
    count: number;
    /**
     * Of created errors, the newest one; null if it has been removed since.
     */
    newestErrorID?: string | null;
};

/**
 * An agent was registered for the first time, got another configuration, or was deleted.
 *
 * @example
 * ```ts
 * const describe = ({ type, name }: AgentEvent) => [type, name];
 * ```
 */
export type AgentEvent = {
    type: 'agent.registered' | 'agent.configuration_changed' | 'agent.deleted';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * UUIDv7, lower case.
     */
    agentID: string;
    name: string;
    machineID: string;
    /**
     * Of a deleted agent, why the service itself deleted it; null if somebody did.
     */
    reason?: string | null;
};

/**
 * Agents have another status. Agents that get the same status at the same time are told of in one event. A status that lasts for less than a second may not be told of.
 *
 * @example
 * ```ts
 * const describe = ({ status, count }: AgentStatusEvent) => [status, count];
 * ```
 */
export type AgentStatusEvent = {
    type: 'agent.status_changed';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    status: 'healthy' | 'unhealthy' | 'offline' | 'stopped' | 'unknown';
    /**
     * How many agents have this status now.
     */
    count: number;
    /**
     * The agents, or ten of them.
     */
    agents: Array<{
        /**
         * UUIDv7, lower case.
         */
        agentID: string;
        name: string;
        machineID: string;
        /**
         * Its status before. Null: it was registered a moment ago.
         */
        before: 'healthy' | 'unhealthy' | 'offline' | 'stopped' | 'unknown' | null;
    }>;
};

/**
 * An agent with the configuration that it runs.
 *
 * @example
 * ```ts
 * const agentWithConfig: AgentWithConfig = await getAgent(client, { agentID });
 * ```
 */
export type AgentWithConfig = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    name: string;
    machineID: string;
    /**
     * `fluentbit`, `fluentd`, `vector`, `otelcol` or any other type.
     */
    type: string | null;
    /**
     * As the agent reports it.
     */
    version: string | null;
    edition: string | null;
    os: string | null;
    arch: string | null;
    /**
     * The arguments that started the agent. Secrets in them are replaced before they are stored.
     */
    flags: Array<string>;
    /**
     * Secrets in it are replaced before it is stored. Fields that would exceed MUSTER_MAX_METADATA_BYTES_PER_AGENT, measured as JSON, are left out; the answer then has `Muster-Left-Out`.
     */
    metadata: {
        [key: string]: unknown;
    };
    tags: Array<string>;
    /**
     * The fleet that the agent reports; in answers, the id of that fleet if there is one here.
     */
    fleetID: string | null;
    /**
     * The first that applies. `unknown`: a core instance speaks for it, and that one is not heard. `stopped`: it said that it ends, without a failure, and was not heard since. `unhealthy`: it ended with a failure and was not heard since. `offline`: it promised signs of life, and three of its intervals (at least 90 seconds) passed without one. `unhealthy`: it is in a crash loop, or has an open error of the configuration that it runs. `healthy`: everything else.
     */
    status: 'healthy' | 'unhealthy' | 'offline' | 'stopped' | 'unknown';
    /**
     * Since when the agent is in this state: it ended, was missed, first failed, or its oldest open error was created. Of a healthy agent, when it last stopped being anything else, or was registered.
     */
    statusSince: string;
    /**
     * Why it is in this state, in a sentence. Null: it is healthy.
     */
    statusReason: string | null;
    /**
     * Open errors of the configuration that it runs.
     */
    openErrorsCount: number;
    /**
     * The oldest of them. Null: there is none, or the caller has no `read:agent_error`.
     */
    openError: OpenAgentError | null;
    /**
     * UUIDv7, lower case.
     */
    configID: string | null;
    /**
     * Null: it is in no fleet of this service.
     */
    fleet: {
        /**
         * UUIDv7, lower case.
         */
        id: string;
        name: string;
        /**
         * The newest version that is for it. Null: it is not known.
         */
        versionID: string | null;
        versionNumber: number | null;
        /**
         * How far it is with that version. `offered`: it was told of it. `downloaded`: it has it, and has not said yet that it runs it. `applied`: it runs it. `rejected`: it has had it for more than a minute, and still runs what it ran before. `unknown`: agents that all ask with the id of their fleet are known only when they report another configuration.
         */
        state: 'unknown' | 'offered' | 'downloaded' | 'applied' | 'rejected';
        /**
         * True: it runs other plugins than the first agent that ran this version.
         */
        isDrifted: boolean;
    } | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastSeenAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    updatedAt: string;
    /**
     * When its machine was last registered again by a caller that did not send its token. Null: never.
     */
    reregisteredAt: string | null;
    /**
     * The address that did so.
     */
    reregisteredFrom: string | null;
    /**
     * The core instance that last spoke for it. Null: it spoke itself.
     */
    coreInstanceID: string | null;
    /**
     * When an operator released its machine for the next registration. Null: not released.
     */
    releasedAt: string | null;
    /**
     * The configuration that the agent runs. Secrets in it are replaced before it is stored. If it has more than 1,048,576 characters, only a line that says so is stored.
     */
    rawConfig: string | null;
};

/**
 * Where alerts of a project are sent. It contains no secret.
 *
 * @example
 * ```ts
 * const alertChannel: AlertChannel = await getAlertChannel(client, { alertChannelID });
 * ```
 */
export type AlertChannel = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    name: string;
    kind: 'webhook' | 'slack' | 'mattermost' | 'discord' | 'teams' | 'pagerduty' | 'opsgenie' | 'mail' | 'dashboard';
    /**
     * The host of the address, the recipients of mail, or `Muster`. The address itself is secret.
     */
    target: string;
    quietHours: {
        /**
         * Local time, hh:mm.
         */
        from: string;
        /**
         * Local time, hh:mm. Earlier than `from`: on the next day.
         */
        until: string;
        /**
         * Name of the IANA time zone database.
         */
        timeZone: string;
    } | null;
    /**
     * `failing`: the last attempt to deliver a message failed, or the mail server refused it for some recipients. `disabled`: nothing is sent; `disabledReason` says why.
     */
    status: 'active' | 'failing' | 'disabled';
    /**
     * When the first of the attempts failed that have all failed since, for all recipients or for some.
     */
    failingSince: string | null;
    /**
     * Why the last failed attempt failed.
     */
    lastFailure: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastDeliveredAt: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    disabledAt: string | null;
    disabledReason: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    createdBy: Actor;
};

/**
 * Somebody created, changed or deleted an alert channel. That messages to it fail is not told of in events.
 *
 * @example
 * ```ts
 * const describe = ({ type, name }: AlertChannelEvent) => [type, name];
 * ```
 */
export type AlertChannelEvent = {
    type: 'alert_channel.created' | 'alert_channel.updated' | 'alert_channel.deleted';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * UUIDv7, lower case.
     */
    alertChannelID: string;
    name: string;
};

/**
 * A message to a channel, and what became of it.
 *
 * @example
 * ```ts
 * const alertDelivery: AlertDelivery = await testAlertChannel(client, { alertChannelID });
 * ```
 */
export type AlertDelivery = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    channelID: string;
    /**
     * `alert`: something happened. `over`: it is over. `digest`: several of these. `test`: somebody asked for it.
     */
    kind: 'alert' | 'over' | 'digest' | 'test';
    title: string;
    /**
     * `waiting`: it is sent at `nextAttemptAt`. `failed`: nothing more is tried; `failure` says why.
     */
    state: 'waiting' | 'delivered' | 'failed';
    attempts: number;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastAttemptAt: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    nextAttemptAt: string | null;
    /**
     * When it was delivered or given up.
     */
    endedAt: string | null;
    /**
     * The HTTP status of the last answer; null: there was none.
     */
    answerStatus: number | null;
    /**
     * The beginning of the last answer, without secrets of the channel; null: there was none.
     */
    answer: string | null;
    /**
     * Why the last attempt failed.
     */
    failure: string | null;
    /**
     * How long the last attempt took.
     */
    milliseconds: number | null;
};

/**
 * When people are told, and by which channels.
 *
 * @example
 * ```ts
 * const alertRule: AlertRule = await createAlertRule(client, { projectID, body: { name: 'bad rollouts', kind: 'new_group' } });
 * ```
 */
export type AlertRule = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    name: string;
    kind: 'new_group' | 'regression' | 'widespread_group' | 'agents_offline' | 'core_instance_unreachable' | 'rollout_stopped' | 'token_expiring' | 'wildcard_token' | 'member_added';
    agents: number | null;
    share: number | null;
    windowSeconds: number | null;
    days: number | null;
    /**
     * Null: all channels of the project.
     */
    channelIDs: Array<string> | null;
    cooldownSeconds: number;
    enabled: boolean;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    createdBy: Actor;
};

/**
 * Somebody created, changed or deleted an alert rule.
 *
 * @example
 * ```ts
 * const describe = ({ type, name }: AlertRuleEvent) => [type, name];
 * ```
 */
export type AlertRuleEvent = {
    type: 'alert_rule.created' | 'alert_rule.updated' | 'alert_rule.deleted';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * UUIDv7, lower case.
     */
    alertRuleID: string;
    name: string;
};

/**
 * What an alert rule would have told in the last 7 days.
 *
 * @example
 * ```ts
 * const alertRulePreview: AlertRulePreview = await previewAlertRule(client, { projectID, body: { name: 'bad rollouts', kind: 'new_group' } });
 * ```
 */
export type AlertRulePreview = {
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    since: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    until: string;
    /**
     * What it would have told. Null: it cannot be computed from what is stored; `limits` says why.
     */
    alertsCount: number | null;
    /**
     * How many messages a channel without quiet hours would have got, because a channel gets at most one a minute, without those that say that something is over. Null: as `alertsCount`.
     */
    messagesCount: number | null;
    /**
     * The newest 50, newest first.
     */
    alerts: Array<{
        /**
         * When it would have been told, without the minute that a channel may wait for its next message.
         */
        at: string;
        /**
         * The id of the group, token, user or core instance that it is about.
         */
        subject: string;
        title: string;
        /**
         * The text of an error. Null: it is about something else.
         */
        text: string | null;
    }>;
    /**
     * Of a rule about something that lasts (`agents_offline`, `core_instance_unreachable`, `token_expiring`): true if it would tell at once. Null: the rule is about something that happens.
     */
    appliesNow: boolean | null;
    /**
     * Where the preview may differ from what the rule would have done, in sentences.
     */
    limits: Array<string>;
};

/**
 * What was changed, or what would be.
 *
 * @example
 * ```ts
 * const appliedProvisioning: AppliedProvisioning = await applyProvisioning(client, { body: { projects: [{ name: 'edge' }] } });
 * ```
 */
export type AppliedProvisioning = {
    dryRun: boolean;
    /**
     * In the order of the request. Empty: everything was as it should be.
     */
    changes: Array<ProvisioningChange>;
};

/**
 * Projects, members, tokens and fleets that shall exist.
 *
 * @example
 * ```ts
 * const body: ApplyProvisioning = { projects: [{ name: 'edge' }] };
 * await applyProvisioning(client, { body });
 * ```
 */
export type ApplyProvisioning = {
    projects: ReadonlyArray<{
        /**
         * The id of the project. Absent: the id in the values of its tokens, or that of the only project with this name.
         */
        id?: string;
        /**
         * Not unique.
         */
        name: string;
        members?: ReadonlyArray<{
            /**
             * A user of this installation, as `muster user list` shows it.
             */
            userID?: string;
            /**
             * Instead of userID: the id of the user at the identity provider (the claim `sub`). The user need not have signed in yet.
             */
            subject?: string;
            /**
             * `owner`: everything, members included. `operator`: everything but members and the project itself. `viewer`: reads everything. Leave it out to give a list of permissions.
             */
            role?: 'owner' | 'operator' | 'viewer';
            /**
             * Instead of a role: exactly these permissions, such as `read:*` and `update:agent_error`.
             */
            permissions?: ReadonlyArray<string>;
        }>;
        tokens?: ReadonlyArray<{
            /**
             * Not unique.
             */
            name: string;
            /**
             * action:resource, wildcards allowed: `create:agent_error`, `read:*`, `*:*`.
             */
            permissions?: ReadonlyArray<string>;
            /**
             * When the token expires; null: never.
             */
            expiresAt?: string | null;
            /**
             * Networks in CIDR notation, or single addresses, from which the token may be used; null: from everywhere. Of a request through a proxy, the address that MUSTER_TRUST_PROXY trusts counts.
             */
            allowedNetworks?: ReadonlyArray<string> | null;
            /**
             * Maximum number of reports of errors per second with this token, on each replica; further ones get 429. Null: no limit.
             */
            reportsPerSecond?: number | null;
            /**
             * For how long the value before this one stays valid when this one replaces it. Absent: 86400, a day. 0: it ends at once.
             */
            graceSeconds?: number;
            /**
             * The value of the token, as `muster token generate` makes it. It contains the ids of the project and of the token.
             */
            value: string;
        }>;
        fleets?: ReadonlyArray<{
            /**
             * Unique among the fleets of the project. 1 to 32 ASCII letters, digits and `.` `_` `~` `-`, because agents write it into URLs as it is.
             */
            name: string;
            /**
             * The form of the configuration: `ini`, `conf`, `classic`, `yml`, `yaml`, `json`; the case does not matter. Empty: as it is stored, and `classic` for a new one.
             */
            configFormat?: string | null;
            /**
             * `on`: the service appends a block to each configuration that it serves, with which agents report their own errors. The configuration of a fleet replaces the whole local one, so that without it their errors are not seen.
             */
            reporting?: 'on' | 'off' | null;
            /**
             * True: all agents of the fleet get another configuration, or another `reporting`, at once and without a rollout. Absent: another configuration only becomes a version, which agents get by a rollout.
             */
            allAtOnce?: boolean;
            /**
             * The configuration, at most 1048576 bytes in UTF-8.
             */
            rawConfig: string;
        }>;
    }>;
    /**
     * True: nothing is changed, and the answer says what would be.
     */
    dryRun?: boolean | undefined;
};

/**
 * A project, seen from the installation where it arrives.
 *
 * @example
 * ```ts
 * const arrival: Arrival = await beginArrival(client, { body: { projectID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', name: 'Edge', runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', sourceURL: 'https://muster.example.com', version: '0.1.0', migrations: ['0001-initial'] } });
 * ```
 */
export type Arrival = {
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    state: 'arriving' | 'arrived';
    /**
     * For the secrets of the project: an X25519 key (RFC 8410) in base64.
     */
    publicKey: string | null;
};

/**
 * What the range holds now.
 *
 * @example
 * ```ts
 * const arrivingRows: ArrivingRows = await writeArrivingRows(client, { projectID, body: { runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', table: 'agents' } });
 * ```
 */
export type ArrivingRows = {
    /**
     * Number of rows in the range.
     */
    rowsCount: number;
    /**
     * Over all values of these rows but secrets. Empty: there are none.
     */
    digest: string;
};

/**
 * The ends of the chain of entries of a project, or of what belongs to no project.
 *
 * @example
 * ```ts
 * const auditChain: AuditChain = await getAuditChain(client, { projectID });
 * ```
 */
export type AuditChain = {
    format: 'muster-audit-log/1';
    /**
     * The project; only zeros: what belongs to no project.
     */
    id: string;
    /**
     * Null: it belongs to no project.
     */
    projectID: string | null;
    /**
     * The entry before the first one: the last that was removed after MUSTER_AUDIT_DAYS.
     */
    anchor: {
        /**
         * The number of the entry. 0: there is none.
         */
        sequence: number;
        /**
         * Its digest. Only zeros: there is none.
         */
        digest: string;
    };
    /**
     * The newest entry.
     */
    head: {
        /**
         * The number of the entry. 0: there is none.
         */
        sequence: number;
        /**
         * Its digest. Only zeros: there is none.
         */
        digest: string;
    };
    /**
     * When entries were last removed after MUSTER_AUDIT_DAYS. Null: never.
     */
    removedAt: string | null;
};

/**
 * Who changed what. Entries never change. They contain no secrets and no configurations.
 *
 * @example
 * ```ts
 * const { items }: { items: AuditEntry[] } = await listAuditEntries(client, { projectID }).first();
 * ```
 */
export type AuditEntry = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * Counts the entries of a project, or those of no project, without gaps.
     */
    sequence: number;
    /**
     * Null: it belongs to no project.
     */
    projectID: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    action: 'project.created' | 'project.updated' | 'project.deleted' | 'project.departing' | 'project.frozen' | 'project.thawed' | 'project.moved' | 'project.arriving' | 'project.arrived' | 'token.created' | 'token.updated' | 'token.rotated' | 'token.earlier_values_ended' | 'token.revoked' | 'token.leaked' | 'access_token.created' | 'access_token.rotated' | 'access_token.earlier_values_ended' | 'access_token.revoked' | 'access_token.leaked' | 'sign_in_link.created' | 'sign_in_link.leaked' | 'session.created' | 'session.revoked' | 'session.leaked' | 'user.created' | 'user.updated' | 'user.removed' | 'member.added' | 'member.updated' | 'member.removed' | 'invitation.created' | 'invitation.accepted' | 'invitation.revoked' | 'agent.updated' | 'agent.configuration_changed' | 'agent.released' | 'agent.deleted' | 'agents.deleted' | 'fleet.created' | 'fleet.updated' | 'fleet.version_created' | 'fleet.deleted' | 'fleet.agents_moved' | 'fleet.variables_changed' | 'fleet.secrets_changed' | 'rollout.started' | 'rollout.paused' | 'rollout.resumed' | 'rollout.stopped' | 'rollout.reverted' | 'rollout.waiting' | 'rollout.approved' | 'rollout.promoted' | 'rollout.completed' | 'core_instance.created' | 'core_instance.updated' | 'core_instance.rotated' | 'core_instance.earlier_values_ended' | 'core_instance.deleted' | 'core_instance.leaked' | 'agent_error.dismissed' | 'agent_error.reopened' | 'agent_error_group.updated' | 'agent_error_group.muted' | 'agent_error_group.unmuted' | 'dismissal.created' | 'dismissal.finished' | 'dismissal.undone' | 'dismissal.undo_finished' | 'alert_channel.created' | 'alert_channel.updated' | 'alert_channel.deleted' | 'alert_rule.created' | 'alert_rule.updated' | 'alert_rule.deleted' | 'provisioning.applied' | 'request.denied';
    actor: {
        kind: 'user' | 'project_token' | 'agent' | 'core_instance' | 'system';
        /**
         * UUIDv7, lower case.
         */
        id: string | null;
        /**
         * What it was called then. Null: it has no name.
         */
        name: string | null;
        /**
         * The access token or session that a user did it with. Null: another credential.
         */
        credentialID: string | null;
    };
    /**
     * The IP address that sent the request. Null: no request, or unknown.
     */
    address: string | null;
    /**
     * As in `X-Request-Id` of the answer and in the log.
     */
    requestID: string | null;
    target: {
        kind: 'project' | 'token' | 'access_token' | 'sign_in_link' | 'session' | 'user' | 'member' | 'invitation' | 'agent' | 'fleet' | 'core_instance' | 'agent_error' | 'agent_error_group' | 'dismissal' | 'alert_channel' | 'alert_rule' | 'installation' | 'route';
        /**
         * Null: several things.
         */
        id: string | null;
        /**
         * What it was called then. Null: it has no name.
         */
        name: string | null;
    };
    /**
     * What the change replaced. Null: nothing.
     */
    before: {
        [key: string]: unknown;
    } | null;
    /**
     * What it is now, or how it was done. Null: nothing.
     */
    after: {
        [key: string]: unknown;
    } | null;
    /**
     * The digest of the entry before it. Only zeros: it is the first one.
     */
    previousDigest: string;
    /**
     * SHA-256 of the entry without this field, as canonical JSON (RFC 8785) in UTF-8, in hexadecimal digits.
     */
    digest: string;
};

/**
 * A project that is to arrive.
 *
 * @example
 * ```ts
 * const body: BeginArrival = { projectID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', name: 'Edge', runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', sourceURL: 'https://muster.example.com', version: '0.1.0', migrations: ['0001-initial'] };
 * await beginArrival(client, { body });
 * ```
 */
export type BeginArrival = {
    /**
     * The project.
     */
    projectID: string;
    /**
     * Of the project.
     */
    name: string;
    /**
     * The run of the command: it chooses a new id each time it is started.
     */
    runID: string;
    /**
     * The address of the installation from which it comes.
     */
    sourceURL: string;
    /**
     * Of the service.
     */
    version: string;
    /**
     * What has made the tables of its database, in order.
     */
    migrations: ReadonlyArray<string>;
};

/**
 * Why.
 *
 * @example
 * ```ts
 * const body: BeginStage = { reason: 'Send to the new collectors', stage: 1 };
 * await resumeRollout(client, { rolloutID, body });
 * ```
 */
export type BeginStage = {
    /**
     * Why. It is kept in the audit log.
     */
    reason: string;
    /**
     * True: also during a freeze of the project.
     */
    despiteFreeze?: boolean | undefined;
    /**
     * The stage in which you saw the rollout. If it is in another one, which may have begun by itself, nothing is done. Absent: whichever it is in.
     */
    stage?: number | undefined;
};

/**
 * A Muster at a site: it takes everything that agents send, keeps it on its disk, and passes it on to this service.
 *
 * @example
 * ```ts
 * const coreInstance: CoreInstance = await getCoreInstance(client, { coreInstanceID });
 * ```
 */
export type CoreInstance = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    name: string;
    /**
     * As it reports it.
     */
    version: string | null;
    tags: Array<string>;
    /**
     * Secrets in it are replaced before it is stored.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * Masked.
     */
    token: string;
    /**
     * `waiting`: it was never heard. `unreachable`: it was not heard for 90 seconds, so nothing is known of the agents behind it. `running`: everything else.
     */
    status: 'waiting' | 'running' | 'unreachable';
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    createdBy: Actor;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    updatedAt: string;
    /**
     * When it was last heard. Null: never.
     */
    lastContactAt: string | null;
    /**
     * When its process started, as it reports it.
     */
    startedAt: string | null;
    /**
     * Agents for which it was the last to speak.
     */
    agentsCount: number;
    /**
     * Items that waited at the site when it was last heard.
     */
    spooledCount: number;
    /**
     * Their size on its disk.
     */
    spooledBytes: number;
    /**
     * Since when the oldest of them waits. Null: none waits.
     */
    oldestSpooledAt: string | null;
    /**
     * For how long the oldest of them has been waiting. 0: none waits.
     */
    lagSeconds: number;
    /**
     * Reports that it had to drop because its spool was full or damaged.
     */
    lostCount: number;
    /**
     * When it last dropped one.
     */
    lastLossAt: string | null;
    /**
     * Items that this service refused for good, such as the registration of an agent when the project has the maximum number of agents.
     */
    refusedCount: number;
    /**
     * Why the last one was refused. Null: none was.
     */
    lastRefusal: {
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        at: string;
        code: string;
        title: string;
    } | null;
    /**
     * How much of what its agents sent has arrived in each of the last 60 minutes, the current one last. A report of an error counts with its repeats, everything else as one.
     */
    receivedPerMinute: Array<number>;
    /**
     * How far its clock is ahead of the clock of this service. Negative: behind it.
     */
    clockOffsetMilliseconds: number | null;
    /**
     * When it got its current token. Null: when it was created.
     */
    rotatedAt: string | null;
    /**
     * When its token was revoked because it was found in public. It has to join again with a project token.
     */
    revokedAt: string | null;
};

/**
 * What agents sent to the site, in order. Other fields are ignored.
 *
 * @example
 * ```ts
 * const body: CoreInstanceBatch = { protocol: 1, sequence: 42, status: { version: '0.1.0', startedAt: 1772446830456, spooledCount: 0, spooledBytes: 0, oldestSpooledAt: 1772446830456, lostCount: 0, lastLossAt: 1772446830456, sentAt: 1772446830456 }, items: [{ kind: 'errors', by: { tokenID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d' }, machineID: 'edge-7.example.com', errors: [{ error: 'disk full', firstAt: 1772446770456, lastAt: 1772446829456, count: 3 }] }] };
 * await sendCoreInstanceBatch(client, { body });
 * ```
 */
export type CoreInstanceBatch = {
    protocol: number;
    /**
     * Counts the batches of the core instance. The same number again changes nothing.
     */
    sequence: number;
    /**
     * Chosen with the number, and the same in every attempt. The number again with another id is of a core instance that has lost its count: the answer has a greater number. Absent: the number alone counts.
     */
    id?: string | undefined;
    status: CoreInstanceReport;
    /**
     * None: only a sign of life, or, without an id, a question: it uses up no number, and the answer says what the newest batch is. An item with a mistake is refused alone. All items together have at most 5000 different errors.
     */
    items: ReadonlyArray<CoreInstanceItem>;
};

/**
 * What was stored of a batch.
 *
 * @example
 * ```ts
 * const coreInstanceBatchResult: CoreInstanceBatchResult = await sendCoreInstanceBatch(client, { body: { protocol: 1, sequence: 42, status: { version: '0.1.0', startedAt: 1772446830456, spooledCount: 0, spooledBytes: 0, oldestSpooledAt: 1772446830456, lostCount: 0, lastLossAt: 1772446830456, sentAt: 1772446830456 }, items: [{ kind: 'errors', by: { tokenID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d' }, machineID: 'edge-7.example.com', errors: [{ error: 'disk full', firstAt: 1772446770456, lastAt: 1772446829456, count: 3 }] }] } });
 * ```
 */
export type CoreInstanceBatchResult = {
    /**
     * The newest batch that is stored: everything up to it can be forgotten. If it is greater than that of the request, the core instance has lost its count, and sends the items again with the number after it.
     */
    sequence: number;
    /**
     * The id of the newest batch. If it is another one than was sent with that number, the items are sent again with the number after it. Null: it had none.
     */
    batchID?: string | null;
    /**
     * The id of the batch after it, if that was received whole and is not stored yet: something of it may be. Send it again as it was. Null: there is none.
     */
    pendingID?: string | null;
    /**
     * Send something again no later than after this time.
     */
    nextPing: string;
    /**
     * Where the list of credentials is now. If it is not the one that the core instance has, something has changed.
     */
    credentialsCursor: string;
    /**
     * Grows with every change of what fleets serve. If it has, ask for the fleets.
     */
    fleetGeneration?: number;
    /**
     * When the token of the request ends, by the clock of this service, because it was rotated. Get another one with `POST /v1/core_instances/self/rotate` now. Null: it is the current one.
     */
    rotateBefore: number | null;
    /**
     * Items that were not applied, and why. Sending them again would be refused again.
     */
    refused: Array<{
        /**
         * The place of the item in the batch.
         */
        index: number;
        error: Problem;
    }>;
    /**
     * Agents that registered at the site and that this service knows under another id: both are accepted for ever.
     */
    aliases: Array<{
        /**
         * UUIDv7, lower case.
         */
        agentID: string;
        /**
         * UUIDv7, lower case.
         */
        canonicalID: string;
    }>;
};

/**
 * An agent reported errors: by its id, or by its machine id.
 *
 * @example
 * ```ts
 * const count = ({ errors }: CoreInstanceErrors) => errors.length;
 * ```
 */
export type CoreInstanceErrors = {
    kind: 'errors';
    /**
     * The credential that the agent sent to the site.
     */
    by: {
        /**
         * The project token that was sent.
         */
        tokenID: string;
    } | {
        /**
         * The agent whose token was sent.
         */
        agentID: string;
    };
    /**
     * The agent.
     */
    agentID?: string;
    machineID?: string;
    /**
     * With `machineID`: the name of the agent if this registers it.
     */
    name?: string;
    errors: Array<{
        error: string;
        /**
         * When it happened, by the clock of the site, in milliseconds since 1970.
         */
        firstAt: number;
        /**
         * When it happened, by the clock of the site, in milliseconds since 1970.
         */
        lastAt: number;
        /**
         * How often it was reported.
         */
        count: number;
    }>;
};

/**
 * A core instance was created, changed or deleted, got another token, somebody has reported that they found its token, it is not heard any more, or it is heard again and has sent all that waited.
 *
 * @example
 * ```ts
 * const describe = ({ type, name }: CoreInstanceEvent) => [type, name];
 * ```
 */
export type CoreInstanceEvent = {
    type: 'core_instance.created' | 'core_instance.updated' | 'core_instance.rotated' | 'core_instance.leaked' | 'core_instance.deleted' | 'core_instance.unreachable' | 'core_instance.reachable';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * UUIDv7, lower case.
     */
    coreInstanceID: string;
    name: string;
};

/**
 * An agent gave a sign of life: by its id, or by its machine id.
 *
 * @example
 * ```ts
 * const describe = ({ kind, at }: CoreInstanceHeartbeat) => [kind, at];
 * ```
 */
export type CoreInstanceHeartbeat = {
    kind: 'heartbeat';
    /**
     * When it happened, by the clock of the site, in milliseconds since 1970.
     */
    at: number;
    /**
     * The credential that the agent sent to the site.
     */
    by: {
        /**
         * The project token that was sent.
         */
        tokenID: string;
    } | {
        /**
         * The agent whose token was sent.
         */
        agentID: string;
    };
    /**
     * The agent.
     */
    agentID?: string;
    machineID?: string;
    name?: string;
    /**
     * What an agent says with a sign of life. Other fields are ignored.
     */
    heartbeat?: {
        /**
         * The agent promises a sign of life (heartbeat, metrics or report) at least this often. After three times as long without one, at least 90 seconds, it is `offline`. 0: it promises nothing. Absent: it stays as it was; an agent that never said it is expected as often as its last heartbeats or metrics came.
         */
        heartbeatSeconds?: number;
        /**
         * Absent: `running`. `stopped`: the agent ends now.
         */
        status?: 'running' | 'stopped';
        /**
         * With `stopped`: the exit code of its process. 0, 130 and 143 are no failures (128 and the number of SIGINT or SIGTERM).
         */
        exitCode?: number;
        /**
         * With `stopped`: the signal that ended its process. SIGTERM and SIGINT are no failures.
         */
        signal?: string;
    };
};

/**
 * What an agent sent to the site. Items of one agent are applied in their order.
 *
 * @example
 * ```ts
 * const isOfErrors = ({ kind }: CoreInstanceItem) => kind === 'errors';
 * ```
 */
export type CoreInstanceItem = CoreInstanceRegistration | CoreInstanceUpdate | CoreInstanceErrors | CoreInstanceHeartbeat | CoreInstancePoll;

/**
 * An agent asked for the configuration of its fleet. Sent behind everything that came before it, so that no version counts as rejected because a registration waits.
 *
 * @example
 * ```ts
 * const describe = ({ handle, downloaded }: CoreInstancePoll) => [handle, downloaded];
 * ```
 */
export type CoreInstancePoll = {
    kind: 'poll';
    /**
     * When it happened, by the clock of the site, in milliseconds since 1970.
     */
    at: number;
    /**
     * The credential that the agent sent to the site.
     */
    by: {
        /**
         * The project token that was sent.
         */
        tokenID: string;
    } | {
        /**
         * The agent whose token was sent.
         */
        agentID: string;
    };
    /**
     * With which the agent alone asks for the configuration of its fleet.
     */
    handle: string;
    /**
     * How much later than these dates those are that the agent gets, because it was moved. Absent: 0.
     */
    shift?: number;
    /**
     * The date of the version that the site gave it.
     */
    offered: number;
    /**
     * When it last asked without having that version. Absent: the site does not know, because the agent has had it for long.
     */
    offeredAt?: number;
    /**
     * The date of the version that it says it has.
     */
    downloaded: number | null;
    /**
     * True: it has registered or updated itself at this site since it was offered the version, so it runs it if it has it.
     */
    isConfirmed: boolean;
};

/**
 * An agent registered at the site.
 *
 * @example
 * ```ts
 * const describe = ({ agentID, at }: CoreInstanceRegistration) => [agentID, at];
 * ```
 */
export type CoreInstanceRegistration = {
    kind: 'registration';
    /**
     * When it happened, by the clock of the site, in milliseconds since 1970.
     */
    at: number;
    /**
     * A UUIDv7 that the site gave the agent.
     */
    agentID: string;
    /**
     * SHA-256 of the agent token that the site gave the agent, in hexadecimal digits.
     */
    tokenDigest: string;
    /**
     * The project token that was sent.
     */
    tokenID: string;
    /**
     * The token of its own that the agent sent beside the project token, to prove that it is the agent of this machine.
     */
    agentToken?: string;
    agent: RegisterAgent;
};

/**
 * How the core instance is.
 *
 * @example
 * ```ts
 * const describe = ({ version, lostCount }: CoreInstanceReport) => [version, lostCount];
 * ```
 */
export type CoreInstanceReport = {
    version: string;
    /**
     * When its process started.
     */
    startedAt: number;
    /**
     * Reports that wait at the site beside those of this batch.
     */
    spooledCount: number;
    /**
     * Size of its spool on its disk.
     */
    spooledBytes: number;
    /**
     * Since when the oldest of them waits. Null: none waits.
     */
    oldestSpooledAt: number | null;
    /**
     * Reports that it had to drop.
     */
    lostCount: number;
    /**
     * When it last dropped one.
     */
    lastLossAt: number | null;
    /**
     * What its clock says while it sends the batch.
     */
    sentAt: number;
};

/**
 * An agent told what it is and runs.
 *
 * @example
 * ```ts
 * const describe = ({ agentID, at }: CoreInstanceUpdate) => [agentID, at];
 * ```
 */
export type CoreInstanceUpdate = {
    kind: 'update';
    /**
     * When it happened, by the clock of the site, in milliseconds since 1970.
     */
    at: number;
    /**
     * The agent.
     */
    agentID: string;
    /**
     * The credential that the agent sent to the site.
     */
    by: {
        /**
         * The project token that was sent.
         */
        tokenID: string;
    } | {
        /**
         * The agent whose token was sent.
         */
        agentID: string;
    };
    agent: UpdateAgent;
};

/**
 * The core instance and its token.
 *
 * @example
 * ```ts
 * const coreInstanceWithToken: CoreInstanceWithToken = await createCoreInstance(client, { body: { name: 'plant-7', tags: ['eu-west-1'] } });
 * ```
 */
export type CoreInstanceWithToken = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    name: string;
    /**
     * As it reports it.
     */
    version: string | null;
    tags: Array<string>;
    /**
     * Secrets in it are replaced before it is stored.
     */
    metadata: {
        [key: string]: unknown;
    };
    /**
     * The whole token, for X-Core-Instance-Token. Only this answer contains it.
     */
    token: string;
    /**
     * `waiting`: it was never heard. `unreachable`: it was not heard for 90 seconds, so nothing is known of the agents behind it. `running`: everything else.
     */
    status: 'waiting' | 'running' | 'unreachable';
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    createdBy: Actor;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    updatedAt: string;
    /**
     * When it was last heard. Null: never.
     */
    lastContactAt: string | null;
    /**
     * When its process started, as it reports it.
     */
    startedAt: string | null;
    /**
     * Agents for which it was the last to speak.
     */
    agentsCount: number;
    /**
     * Items that waited at the site when it was last heard.
     */
    spooledCount: number;
    /**
     * Their size on its disk.
     */
    spooledBytes: number;
    /**
     * Since when the oldest of them waits. Null: none waits.
     */
    oldestSpooledAt: string | null;
    /**
     * For how long the oldest of them has been waiting. 0: none waits.
     */
    lagSeconds: number;
    /**
     * Reports that it had to drop because its spool was full or damaged.
     */
    lostCount: number;
    /**
     * When it last dropped one.
     */
    lastLossAt: string | null;
    /**
     * Items that this service refused for good, such as the registration of an agent when the project has the maximum number of agents.
     */
    refusedCount: number;
    /**
     * Why the last one was refused. Null: none was.
     */
    lastRefusal: {
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        at: string;
        code: string;
        title: string;
    } | null;
    /**
     * How much of what its agents sent has arrived in each of the last 60 minutes, the current one last. A report of an error counts with its repeats, everything else as one.
     */
    receivedPerMinute: Array<number>;
    /**
     * How far its clock is ahead of the clock of this service. Negative: behind it.
     */
    clockOffsetMilliseconds: number | null;
    /**
     * When it got its current token. Null: when it was created.
     */
    rotatedAt: string | null;
    /**
     * When its token was revoked because it was found in public. It has to join again with a project token.
     */
    revokedAt: string | null;
};

/**
 * An access token to create for the caller.
 *
 * @example
 * ```ts
 * const body: CreateAccessToken = { name: 'laptop', permissions: ['read:*'] };
 * await createAccessToken(client, { body });
 * ```
 */
export type CreateAccessToken = {
    /**
     * Not unique.
     */
    name: string;
    /**
     * When the token expires; null: never.
     */
    expiresAt?: string | null | undefined;
    /**
     * Narrows the token to these permissions, as far as you have them where it is used. Absent or null: those of the credential that creates it.
     */
    permissions?: ReadonlyArray<Permission> | null | undefined;
    /**
     * Narrows the token to these projects. Absent or null: those of the credential that creates it.
     */
    projects?: ReadonlyArray<string> | null | undefined;
};

/**
 * One report. Other fields are ignored.
 *
 * @example
 * ```ts
 * const body: CreateAgentError = { error: 'disk full' };
 * await createAgentError(client, { agentID, body });
 * ```
 */
export type CreateAgentError = {
    /**
     * Stored and compared exactly as sent, except that secrets of a known form, such as tokens with a published prefix, are first replaced by `--redacted--`.
     */
    error: string;
};

/**
 * Where alerts are sent.
 *
 * @example
 * ```ts
 * const body: CreateAlertChannel = { name: 'on-call', kind: 'mail', recipients: ['on-call@example.com'] };
 * await createAlertChannel(client, { projectID, body });
 * ```
 */
export type CreateAlertChannel = {
    /**
     * Not unique.
     */
    name: string;
    /**
     * `dashboard`: messages are sent nowhere, and stand in the list of messages.
     */
    kind: 'webhook' | 'slack' | 'mattermost' | 'discord' | 'teams' | 'pagerduty' | 'opsgenie' | 'mail' | 'dashboard';
    /**
     * The address to which messages are posted, https. Needed for `webhook`, `slack`, `mattermost`, `discord` and `teams`. For `pagerduty` and `opsgenie`: another address than that of the service, such as that of another region; a change needs `key` too, because the stored key is not sent to another address. Treated as a secret: no answer contains it.
     */
    url?: string | undefined;
    /**
     * Needed for `pagerduty` (the integration key of an Events API v2 integration) and `opsgenie` (the key of an API integration). A secret: no answer contains it.
     */
    key?: string | undefined;
    /**
     * Needed for `mail`: the addresses to which messages are sent.
     */
    recipients?: ReadonlyArray<string> | undefined;
    /**
     * When messages wait; null: never.
     */
    quietHours?: {
        /**
         * Local time, hh:mm.
         */
        from: string;
        /**
         * Local time, hh:mm. Earlier than `from`: on the next day.
         */
        until: string;
        /**
         * Name of the IANA time zone database.
         */
        timeZone: string;
    } | null;
};

/**
 * When people are told.
 *
 * @example
 * ```ts
 * const body: CreateAlertRule = { name: 'bad rollouts', kind: 'new_group' };
 * await createAlertRule(client, { projectID, body });
 * ```
 */
export type CreateAlertRule = {
    /**
     * Not unique.
     */
    name?: string | undefined;
    /**
     * `new_group`: a group of errors has its first error. `regression`: a group has an error again after all were dismissed, or an agent has one again that was dismissed there. `widespread_group`: errors of one group were created on many agents within a time. `agents_offline`: many agents are offline. `core_instance_unreachable`: a core instance is not heard any more; the agents behind it are `unknown`, and not offline. `rollout_stopped`: a rollout stopped by itself, or waits for a person. `token_expiring`: a project token is about to expire. `wildcard_token`: a project token was created with a wildcard, or got one. `member_added`: a user became a member.
     */
    kind: 'new_group' | 'regression' | 'widespread_group' | 'agents_offline' | 'core_instance_unreachable' | 'rollout_stopped' | 'token_expiring' | 'wildcard_token' | 'member_added';
    /**
     * For `widespread_group` and `agents_offline`: at least so many agents. With `share` too, either of the two is enough.
     */
    agents?: number | null | undefined;
    /**
     * For `widespread_group` and `agents_offline`: at least this share of the agents of the project; 0.1 is 10%.
     */
    share?: number | null | undefined;
    /**
     * For `widespread_group`: the time in which their errors were created. Absent: 3600.
     */
    windowSeconds?: number | null | undefined;
    /**
     * For `token_expiring`: how many days before the end. Absent: 7.
     */
    days?: number | null | undefined;
    /**
     * Who is told; null: all channels of the project, also later ones.
     */
    channelIDs?: ReadonlyArray<string> | null | undefined;
    /**
     * After a message about a group, a token that is about to expire, a core instance or offline agents, how long no further one about the same is sent, unless it says that it is over. `rollout_stopped`, `wildcard_token` and `member_added` tell of each event, whenever it happens. Absent: 3600.
     */
    cooldownSeconds?: number | undefined;
    /**
     * false: it looks for nothing.
     */
    enabled?: boolean | undefined;
};

/**
 * A core instance to create. Without a name, it gets one. Other fields are ignored.
 *
 * @example
 * ```ts
 * const body: CreateCoreInstance = { name: 'plant-7', tags: ['eu-west-1'] };
 * await createCoreInstance(client, { body });
 * ```
 */
export type CreateCoreInstance = {
    /**
     * Unique among the core instances of the project.
     */
    name?: string | null | undefined;
    version?: string | null | undefined;
    /**
     * A random text that the core instance keeps. With the same key, the request is repeatable: it finds the same core instance, which gets a new token. A core instance that was created without a key and was never heard belongs to the first request with its name and a key.
     */
    instanceKey?: string | null | undefined;
    tags?: ReadonlyArray<string> | null | undefined;
    /**
     * Secrets in it are replaced before it is stored.
     */
    metadata?: {
        [key: string]: unknown;
    } | null;
};

/**
 * Which open errors need no more attention, and why.
 *
 * @example
 * ```ts
 * const body: CreateDismissal = { reason: 'Fixed by the new password', filter: { q: 'connection refused', current: true } };
 * await createDismissal(client, { projectID, body });
 * ```
 */
export type CreateDismissal = {
    reason: string;
    filter: DismissalFilter;
    /**
     * true: only count what would be dismissed. Nothing is stored.
     */
    dryRun?: boolean | undefined;
};

/**
 * A fleet to create. Other fields are ignored.
 *
 * @example
 * ```ts
 * const body: CreateFleet = { name: 'edge', minFluentBitVersion: '3.2.0', rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n' };
 * await createFleet(client, { projectID, body });
 * ```
 */
export type CreateFleet = {
    /**
     * Unique among the fleets of the project. 1 to 32 ASCII letters, digits and `.` `_` `~` `-`, because agents write it into URLs as it is.
     */
    name: string;
    /**
     * The oldest version of Fluent Bit that the configuration is for. Empty: any.
     */
    minFluentBitVersion?: string | null | undefined;
    /**
     * The configuration, at most 1048576 bytes in UTF-8.
     */
    rawConfig?: string | null | undefined;
    /**
     * The form of the configuration: `ini`, `conf`, `classic`, `yml`, `yaml`, `json`; the case does not matter. Empty: as it is stored, and `classic` for a new one.
     */
    configFormat?: string | null | undefined;
    tags?: ReadonlyArray<string> | null | undefined;
    /**
     * `on`: the service appends a block to each configuration that it serves, with which agents report their own errors. The configuration of a fleet replaces the whole local one, so that without it their errors are not seen.
     */
    reporting?: 'on' | 'off' | null | undefined;
    /**
     * What the first version is about.
     */
    note?: string | null | undefined;
    /**
     * True: plugins and properties that are not known are accepted. What could harm an agent is refused all the same.
     */
    skipConfigValidation?: boolean | null | undefined;
};

/**
 * A file to add.
 *
 * @example
 * ```ts
 * const body: CreateFleetFile = { name: 'parsers.conf', contents: 'W1BBUlNFUl0KICAgIE5hbWUganNvbgogICAgRm9ybWF0IGpzb24K' };
 * await createFleetFile(client, { fleetID, body });
 * ```
 */
export type CreateFleetFile = {
    /**
     * Without a path: agents write the file next to their configuration, which refers to it by this name.
     */
    name: string;
    /**
     * The bytes of the file in Base64 (RFC 4648, with padding).
     */
    contents: string;
};

/**
 * A version to create. Without `files`, it has those that the fleet has now.
 *
 * @example
 * ```ts
 * const body: CreateFleetVersion = { rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n', configFormat: 'yaml' };
 * await createFleetVersion(client, { fleetID, body });
 * ```
 */
export type CreateFleetVersion = {
    /**
     * The configuration, at most 1048576 bytes in UTF-8.
     */
    rawConfig: string;
    /**
     * The form of the configuration: `ini`, `conf`, `classic`, `yml`, `yaml`, `json`; the case does not matter. Empty: as it is stored, and `classic` for a new one.
     */
    configFormat?: string | null | undefined;
    files?: ReadonlyArray<{
        name: string;
        /**
         * Base64 with padding.
         */
        contents: string;
    }> | null;
    note?: string | null | undefined;
    /**
     * True: plugins and properties that are not known are accepted. What could harm an agent is refused all the same.
     */
    skipConfigValidation?: boolean | null | undefined;
};

/**
 * An invitation to a project.
 *
 * @example
 * ```ts
 * const body: CreateInvitation = { role: 'operator', email: 'ada@example.com' };
 * await createInvitation(client, { projectID, body });
 * ```
 */
export type CreateInvitation = {
    /**
     * `owner`: everything, members included. `operator`: everything but members and the project itself. `viewer`: reads everything. Leave it out to give a list of permissions.
     */
    role?: 'owner' | 'operator' | 'viewer' | undefined;
    /**
     * Instead of a role: exactly these permissions, such as `read:*` and `update:agent_error`.
     */
    permissions?: ReadonlyArray<Permission> | undefined;
    /**
     * For whom it is, as a note for the list: anybody who has the code can accept it.
     */
    email?: string | null | undefined;
};

/**
 * A project to create.
 *
 * @example
 * ```ts
 * const body: CreateProject = { name: 'Edge' };
 * await createProject(client, { body });
 * ```
 */
export type CreateProject = {
    /**
     * Not unique.
     */
    name: string;
};

/**
 * A token to create.
 *
 * @example
 * ```ts
 * const body: CreateToken = { name: 'ci-deploy', permissions: ['create:*'], allowedNetworks: null };
 * await createToken(client, { projectID, body });
 * ```
 */
export type CreateToken = {
    /**
     * Not unique.
     */
    name: string;
    /**
     * Absent or null: the permissions that an agent needs (create:agent, create:agent_error, update:agent, read:fleet). Empty: none.
     */
    permissions?: ReadonlyArray<Permission> | null | undefined;
    /**
     * When the token expires; null: never.
     */
    expiresAt?: string | null | undefined;
    /**
     * Networks in CIDR notation, or single addresses, from which the token may be used; null: from everywhere. Of a request through a proxy, the address that MUSTER_TRUST_PROXY trusts counts.
     */
    allowedNetworks?: ReadonlyArray<string> | null | undefined;
    /**
     * Maximum number of reports of errors per second with this token, on each replica; further ones get 429. Null: no limit.
     */
    reportsPerSecond?: number | null | undefined;
};

/**
 * The new channel; of a webhook, with the secret with which messages are signed.
 *
 * @example
 * ```ts
 * const createdAlertChannel: CreatedAlertChannel = await createAlertChannel(client, { projectID, body: { name: 'on-call', kind: 'mail', recipients: ['on-call@example.com'] } });
 * ```
 */
export type CreatedAlertChannel = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    name: string;
    kind: 'webhook' | 'slack' | 'mattermost' | 'discord' | 'teams' | 'pagerduty' | 'opsgenie' | 'mail' | 'dashboard';
    /**
     * The host of the address, the recipients of mail, or `Muster`. The address itself is secret.
     */
    target: string;
    quietHours: {
        /**
         * Local time, hh:mm.
         */
        from: string;
        /**
         * Local time, hh:mm. Earlier than `from`: on the next day.
         */
        until: string;
        /**
         * Name of the IANA time zone database.
         */
        timeZone: string;
    } | null;
    /**
     * `failing`: the last attempt to deliver a message failed, or the mail server refused it for some recipients. `disabled`: nothing is sent; `disabledReason` says why.
     */
    status: 'active' | 'failing' | 'disabled';
    /**
     * When the first of the attempts failed that have all failed since, for all recipients or for some.
     */
    failingSince: string | null;
    /**
     * Why the last failed attempt failed.
     */
    lastFailure: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastDeliveredAt: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    disabledAt: string | null;
    disabledReason: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    createdBy: Actor;
    /**
     * The secret with which messages are signed (Standard Webhooks). No other answer contains it.
     */
    secret?: string;
};

/**
 * The new fleet.
 *
 * @example
 * ```ts
 * const createdFleet: CreatedFleet = await createFleet(client, { projectID, body: { name: 'edge', minFluentBitVersion: '3.2.0', rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n' } });
 * ```
 */
export type CreatedFleet = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * Its first version. Null: it has none.
     */
    versionID: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
};

/**
 * The new file.
 *
 * @example
 * ```ts
 * const createdFleetFile: CreatedFleetFile = await createFleetFile(client, { fleetID, body: { name: 'parsers.conf', contents: 'W1BBUlNFUl0KICAgIE5hbWUganNvbgogICAgRm9ybWF0IGpzb24K' } });
 * ```
 */
export type CreatedFleetFile = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
};

/**
 * An invitation, with the only copy of its code.
 *
 * @example
 * ```ts
 * const createdInvitation: CreatedInvitation = await createInvitation(client, { projectID, body: { role: 'operator', email: 'ada@example.com' } });
 * ```
 */
export type CreatedInvitation = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    /**
     * `custom`: a list of permissions of its own.
     */
    role: 'owner' | 'operator' | 'viewer' | 'custom';
    /**
     * What the role permits in the project.
     */
    permissions: Array<Permission>;
    /**
     * For whom it is, as a note for the list: anybody who has the code can accept it.
     */
    email: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * 7 days after its creation.
     */
    expiresAt: string;
    createdBy: Actor;
    /**
     * Works once. Only this answer contains it: send it to the person who is invited.
     */
    code: string;
};

/**
 * How many samples of the metrics were accepted.
 *
 * @example
 * ```ts
 * const createdMetrics: CreatedMetrics = await addAgentMetrics(client, { agentID, body: bytes });
 * ```
 */
export type CreatedMetrics = {
    /**
     * Samples in the request.
     */
    totalInserted: number;
};

/**
 * The project and its first token.
 *
 * @example
 * ```ts
 * const createdProject: CreatedProject = await createProject(client, { body: { name: 'Edge' } });
 * ```
 */
export type CreatedProject = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * The project's first token, named `default`, with the permissions that an agent needs.
     */
    token: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
};

/**
 * How many agents were deleted.
 *
 * @example
 * ```ts
 * const deletedAgents: DeletedAgents = await deleteAgents(client, { projectID });
 * ```
 */
export type DeletedAgents = {
    /**
     * Exact: the agents that this request has deleted; in a dry run, those that match.
     */
    agentsCount: number;
    /**
     * True: nothing was deleted.
     */
    dryRun: boolean;
};

/**
 * When the fleet was deleted.
 *
 * @example
 * ```ts
 * const deletedFleet: DeletedFleet = await deleteFleet(client, { fleetID });
 * ```
 */
export type DeletedFleet = {
    deleted: boolean;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    deletedAt: string;
};

/**
 * A step of a project that leaves.
 *
 * @example
 * ```ts
 * const body: DepartProject = { step: 'begin', runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', targetURL: 'https://muster.example.com', insteadOf: 'https://muster.example.com' };
 * await departProject(client, { projectID, body });
 * ```
 */
export type DepartProject = {
    /**
     * `begin`: nothing but the answer. `copy`: the run is in charge from now on, and reads rows with its `publicKey`. `freeze`: nothing is written to the project for at most five minutes, each time anew. `leave`: it has moved, and never accepts anything again. `thaw`: a freeze ends early.
     */
    step: 'begin' | 'copy' | 'freeze' | 'leave' | 'thaw';
    /**
     * The run of the command: it chooses a new id each time it is started.
     */
    runID: string;
    /**
     * The address of the installation to which it moves, for its agents.
     */
    targetURL: string;
    /**
     * For the secrets of the project: an X25519 key (RFC 8410) in base64.
     */
    publicKey?: string | null | undefined;
    /**
     * With `begin` and `copy`: where the project has left for. That installation is lost, or has never taken it.
     */
    insteadOf?: string | undefined;
};

/**
 * A page of the rows of a project. `last` is null after the last page.
 *
 * @example
 * ```ts
 * const departingRows: DepartingRows = await readDepartingRows(client, { projectID, body: { table: 'agents' } });
 * ```
 */
export type DepartingRows = {
    columns: Array<string>;
    rows: Array<Array<unknown>>;
    /**
     * The values of the columns that order the table.
     */
    last: Array<string | number> | null;
    /**
     * Number of rows in the range.
     */
    rowsCount: number;
    /**
     * Over all values of these rows but secrets. Empty: there are none.
     */
    digest: string;
};

/**
 * A project, seen from the installation that it leaves.
 *
 * @example
 * ```ts
 * const departure: Departure = await departProject(client, { projectID, body: { step: 'begin', runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', targetURL: 'https://muster.example.com', insteadOf: 'https://muster.example.com' } });
 * ```
 */
export type Departure = {
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    /**
     * Of the project.
     */
    name: string;
    state: 'here' | 'frozen' | 'moved';
    /**
     * Where it moves. Null: it is here.
     */
    targetURL: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    frozenUntil: string | null;
    /**
     * Until then, other replicas may still write what they had accepted before it was frozen.
     */
    settledInMilliseconds: number;
    /**
     * The number of its last event. 0: it has none.
     */
    lastEvent: number;
    /**
     * Of the service.
     */
    version: string;
    /**
     * What has made the tables of its database, in order.
     */
    migrations: Array<string>;
    /**
     * Of which rows move, in the order in which they are written.
     */
    tables: Array<{
        name: string;
        /**
         * Rows are removed before those that differ are written.
         */
        isReplaced: boolean;
    }>;
};

/**
 * Why an agent error needs no more attention.
 *
 * @example
 * ```ts
 * const body: DismissAgentError = { reason: 'Fixed by the new password' };
 * await dismissAgentError(client, { agentErrorID, body });
 * ```
 */
export type DismissAgentError = {
    reason: string;
};

/**
 * A dismissal of many agent errors. It applies to errors that were stored before it was requested, and is kept as long as dismissed errors.
 *
 * @example
 * ```ts
 * const dismissal: Dismissal = await getDismissal(client, { dismissalID });
 * ```
 */
export type Dismissal = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * `running`: errors are being dismissed. `done`: all are. `undoing`: they are being reopened. `undone`: they are open again, except for those that `undo` counts.
     */
    state: 'running' | 'done' | 'undoing' | 'undone';
    /**
     * Errors that it has dismissed so far.
     */
    errorsCount: number;
    /**
     * Agents of these errors.
     */
    agentsCount: number;
    /**
     * Says so if no open error matches the filter; else null.
     */
    note: string | null;
    reason: string;
    filter: DismissalFilter;
    /**
     * The groups of the filter that are still stored, in its order.
     */
    groups: Array<{
        /**
         * UUIDv7, lower case.
         */
        id: string;
        /**
         * The title of a known error, with its plugin, or the pattern of another.
         */
        name: string;
    }>;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    requestedAt: string;
    requestedBy: Actor;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    endedAt: string | null;
    undo: DismissalUndo | null;
};

/**
 * A dismissal of many errors was requested, has dismissed its last error, or was undone. Its progress is in `getDismissal`.
 *
 * @example
 * ```ts
 * const describe = ({ type, errorsCount }: DismissalEvent) => [type, errorsCount];
 * ```
 */
export type DismissalEvent = {
    type: 'dismissal.created' | 'dismissal.finished' | 'dismissal.undone';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * UUIDv7, lower case.
     */
    dismissalID: string;
    reason: string;
    /**
     * Errors that it has dismissed.
     */
    errorsCount: number;
    /**
     * Agents of these errors.
     */
    agentsCount: number;
    /**
     * Errors that its undo has reopened.
     */
    reopenedCount: number;
};

/**
 * Open errors for which all of these conditions hold. At least one condition is needed.
 *
 * @example
 * ```ts
 * const filter: DismissalFilter = { q: 'connection refused' };
 * await createDismissal(client, { projectID, body: { reason: 'Firewall opened', filter } });
 * ```
 */
export type DismissalFilter = {
    /**
     * Only errors of this group.
     */
    groupID?: string;
    /**
     * Only errors of these groups. Not together with `groupID`.
     */
    groupIDs?: Array<string>;
    /**
     * Only errors with exactly this text.
     */
    error?: string;
    /**
     * Only errors whose text contains this text; the case of ASCII letters is ignored.
     */
    q?: string;
    /**
     * Only errors of these agents.
     */
    agentIDs?: Array<string>;
    /**
     * Only errors of agents of this fleet.
     */
    fleetID?: string;
    /**
     * true: only errors of the configuration that their agent has now. false: only errors of an earlier one.
     */
    current?: boolean;
    /**
     * Only errors created before this time.
     */
    createdBefore?: string;
    /**
     * true: all open errors of the project. Takes no other condition.
     */
    all?: boolean;
};

/**
 * What a dismissal would dismiss at this moment.
 *
 * @example
 * ```ts
 * const body = { reason: 'Firewall opened', filter: { q: 'connection refused' }, dryRun: true };
 * const preview: Dismissal | DismissalPreview = await createDismissal(client, { projectID, body });
 * console.log(preview.errorsCount);
 * ```
 */
export type DismissalPreview = {
    dryRun: true;
    errorsCount: number;
    agentsCount: number;
    /**
     * Says so if no open error matches the filter; else null.
     */
    note: string | null;
};

/**
 * The undo of a dismissal.
 *
 * @example
 * ```ts
 * const { undo }: { undo: DismissalUndo | null } = await undoDismissal(client, { dismissalID });
 * ```
 */
export type DismissalUndo = {
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    requestedAt: string;
    requestedBy: Actor;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    endedAt: string | null;
    /**
     * Errors reopened so far.
     */
    reopenedCount: number;
    /**
     * Errors that could not be reopened.
     */
    notReopenedCount: number;
    /**
     * Why they could not be reopened.
     */
    notReopened: {
        /**
         * Their agent has an open error with the same text and configuration. Work with that one.
         */
        equalErrorOpen: number;
        /**
         * They were reopened or removed after the dismissal. Counted when the undo has ended.
         */
        changedSince: number;
    };
};

/**
 * When the agent error was dismissed.
 *
 * @example
 * ```ts
 * const dismissedAgentError: DismissedAgentError = await dismissAgentError(client, { agentErrorID, body: { reason: 'Fixed by the new password' } });
 * ```
 */
export type DismissedAgentError = {
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    dismissedAt: string;
};

/**
 * A value that a token had before a rotation, and that is still accepted.
 *
 * @example
 * ```ts
 * const { earlierValues }: { earlierValues: EarlierValue[] } = await getToken(client, { tokenID });
 * ```
 */
export type EarlierValue = {
    /**
     * Masked.
     */
    token: string;
    /**
     * When it ends; null: at the first use of a later value.
     */
    endsAt: string | null;
    /**
     * True if it ends at the first use of a later value.
     */
    retiresOnUse: boolean;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastUsedAt: string | null;
};

/**
 * The end of an arrival.
 *
 * @example
 * ```ts
 * const body: FinishArrival = { runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d' };
 * await finishArrival(client, { projectID, body });
 * ```
 */
export type FinishArrival = {
    /**
     * The run of the command: it chooses a new id each time it is started.
     */
    runID: string;
    /**
     * The number of its last event at the source: those here follow. Absent: they begin with the first.
     */
    lastEvent?: number | undefined;
};

/**
 * Agents with a common configuration, which they get from the service.
 *
 * @example
 * ```ts
 * const fleet: Fleet = await getFleet(client, { fleetID });
 * ```
 */
export type Fleet = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    name: string;
    /**
     * Empty: any.
     */
    minFluentBitVersion: string;
    /**
     * The configuration that agents get. Empty: there is none yet.
     */
    rawConfig: string;
    configFormat: 'classic' | 'yaml' | 'json';
    tags: Array<string>;
    /**
     * `on`: the service appends a block to each configuration that it serves, with which agents report their own errors. The configuration of a fleet replaces the whole local one, so that without it their errors are not seen.
     */
    reporting: 'on' | 'off';
    currentVersion: {
        /**
         * UUIDv7, lower case.
         */
        id: string;
        number: number;
        /**
         * Since when agents get it.
         */
        publishedAt: string;
    } | null;
    agentsCount: {
        /**
         * Agents that are heard.
         */
        active: number;
        /**
         * Agents that are offline, stopped or unknown.
         */
        inactive: number;
        /**
         * Agents that are unhealthy.
         */
        withErrors: number;
        /**
         * The same as `withErrors`, for older clients.
         */
        errors: number;
    };
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    createdBy: Actor;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    updatedAt: string;
};

/**
 * Something that is wrong with a configuration.
 *
 * @example
 * ```ts
 * const describe = ({ line, message }: FleetConfigFinding) => [line, message];
 * ```
 */
export type FleetConfigFinding = {
    severity: 'error' | 'warning';
    code: string;
    /**
     * What is wrong.
     */
    message: string;
    /**
     * What to do.
     */
    remedy?: string;
    line?: number;
    column?: number;
    /**
     * The file that it is in. Absent: the configuration.
     */
    file?: string;
};

/**
 * A fleet was created, changed or deleted, a version of it was created or published: from then on, agents get it; agents were moved to it, or variables or secrets of it were set or removed.
 *
 * @example
 * ```ts
 * const describe = ({ type, name }: FleetEvent) => [type, name];
 * ```
 */
export type FleetEvent = {
    type: 'fleet.created' | 'fleet.updated' | 'fleet.version_created' | 'fleet.version_published' | 'fleet.agents_moved' | 'fleet.variables_changed' | 'fleet.secrets_changed' | 'fleet.deleted';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * UUIDv7, lower case.
     */
    fleetID: string;
    name: string;
    /**
     * The number of the version that was created or published.
     */
    version?: number;
    /**
     * Agents that were moved to it.
     */
    agentsCount?: number;
};

/**
 * A file that agents get beside their configuration, such as one with parsers.
 *
 * @example
 * ```ts
 * const fleetFile: FleetFile = await getFleetFile(client, { fleetFileID });
 * ```
 */
export type FleetFile = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * Without a path: agents write the file next to their configuration, which refers to it by this name.
     */
    name: string;
    /**
     * The bytes of the file in Base64 (RFC 4648, with padding).
     */
    contents: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    updatedAt: string;
};

/**
 * A secret of a fleet. Its value is never shown.
 *
 * @example
 * ```ts
 * const { secrets }: { secrets: FleetSecret[] } = await listFleetSecrets(client, { fleetID });
 * ```
 */
export type FleetSecret = {
    /**
     * As configurations write it: `{{vars.NAME}}` or `{{secrets.NAME}}`.
     */
    name: string;
    /**
     * True: configurations that agents of the fleet get use the name, so that agents get a change at once.
     */
    isUsed: boolean;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    updatedAt: string;
    updatedBy: Actor;
};

/**
 * The secrets of a fleet.
 *
 * @example
 * ```ts
 * const fleetSecrets: FleetSecrets = await listFleetSecrets(client, { fleetID });
 * ```
 */
export type FleetSecrets = {
    /**
     * In the order of their names.
     */
    secrets: Array<FleetSecret>;
};

/**
 * What a variable stands for in the configurations of a fleet.
 *
 * @example
 * ```ts
 * const { items }: { items: FleetVariable[] } = await listFleetVariables(client, { fleetID }).first();
 * ```
 */
export type FleetVariable = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * As configurations write it: `{{vars.NAME}}` or `{{secrets.NAME}}`.
     */
    name: string;
    value: string;
    /**
     * Only for agents with this tag. Null: that does not matter.
     */
    tag: string | null;
    /**
     * Only for this agent. Null: for more.
     */
    agentID: string | null;
    /**
     * Its name now. Null: it is for more, or the agent was deleted.
     */
    agentName: string | null;
    /**
     * True: configurations that agents of the fleet get use the name, so that agents get a change at once.
     */
    isUsed: boolean;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    updatedAt: string;
    updatedBy: Actor;
};

/**
 * A configuration of a fleet with its files. It never changes.
 *
 * @example
 * ```ts
 * const fleetVersion: FleetVersion = await createFleetVersion(client, { fleetID, body: { rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n', configFormat: 'yaml' } });
 * ```
 */
export type FleetVersion = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    fleetID: string;
    /**
     * Counts the versions of the fleet.
     */
    number: number;
    configFormat: 'classic' | 'yaml' | 'json';
    files: Array<{
        /**
         * Without a path: agents write the file next to their configuration, which refers to it by this name.
         */
        name: string;
        /**
         * SHA-256 of its bytes, in hexadecimal digits.
         */
        digest: string;
        /**
         * Its size.
         */
        bytes: number;
    }>;
    /**
     * SHA-256 of all that the version is made of, in hexadecimal digits.
     */
    digest: string;
    /**
     * What it is about. Null: nothing was said.
     */
    note: string | null;
    /**
     * True if agents get it.
     */
    isCurrent: boolean;
    /**
     * True if a rollout of it has stopped by itself.
     */
    isBad: boolean;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    createdBy: Actor;
    /**
     * What is wrong with it. A version is only created without errors, so that these are warnings.
     */
    findings: Array<FleetConfigFinding>;
};

/**
 * How many agents of each fleet run which version.
 *
 * @example
 * ```ts
 * const fleetVersionCounts: FleetVersionCounts = await getFleetVersionCounts(client, { projectID });
 * ```
 */
export type FleetVersionCounts = {
    /**
     * In the order of fleets and versions.
     */
    counts: Array<{
        /**
         * UUIDv7, lower case.
         */
        fleetID: string;
        /**
         * What they run. Null: that is not known.
         */
        versionID: string | null;
        /**
         * Of the version.
         */
        number: number | null;
        /**
         * True: they last got this version, and run something else.
         */
        isDrifted: boolean;
        /**
         * Agents.
         */
        agentsCount: number;
        /**
         * Those of them that are unhealthy.
         */
        unhealthyCount: number;
        /**
         * Those of them that have rejected the version that they were offered last.
         */
        rejectedCount: number;
    }>;
};

/**
 * The difference of two versions. `from` is null if there is none before `to`.
 *
 * @example
 * ```ts
 * const fleetVersionDiff: FleetVersionDiff = await getFleetVersionDiff(client, { fleetVersionID });
 * ```
 */
export type FleetVersionDiff = {
    from: {
        /**
         * UUIDv7, lower case.
         */
        id: string;
        number: number;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        createdAt: string;
    } | null;
    to: {
        /**
         * UUIDv7, lower case.
         */
        id: string;
        number: number;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        createdAt: string;
    };
    /**
     * Unified format, with three lines around each change. Empty: the configurations are equal. Its lines can contain control characters.
     */
    diff: string;
    /**
     * Lines that only `to` has.
     */
    addedLines: number;
    /**
     * Lines that only `from` has.
     */
    removedLines: number;
    /**
     * True: more than 1,000 lines differ, or more than 20,000 lines lie between the first and the last difference. Everything between these two is then shown as replaced.
     */
    isCoarse: boolean;
    addedFiles: Array<string>;
    changedFiles: Array<string>;
    removedFiles: Array<string>;
};

/**
 * A version with its configuration.
 *
 * @example
 * ```ts
 * const fleetVersionWithConfig: FleetVersionWithConfig = await getFleetVersion(client, { fleetVersionID });
 * ```
 */
export type FleetVersionWithConfig = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    fleetID: string;
    /**
     * Counts the versions of the fleet.
     */
    number: number;
    configFormat: 'classic' | 'yaml' | 'json';
    files: Array<{
        /**
         * Without a path: agents write the file next to their configuration, which refers to it by this name.
         */
        name: string;
        /**
         * SHA-256 of its bytes, in hexadecimal digits.
         */
        digest: string;
        /**
         * Its size.
         */
        bytes: number;
    }>;
    /**
     * SHA-256 of all that the version is made of, in hexadecimal digits.
     */
    digest: string;
    /**
     * What it is about. Null: nothing was said.
     */
    note: string | null;
    /**
     * True if agents get it.
     */
    isCurrent: boolean;
    /**
     * True if a rollout of it has stopped by itself.
     */
    isBad: boolean;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    createdBy: Actor;
    /**
     * What is wrong with it. A version is only created without errors, so that these are warnings.
     */
    findings: Array<FleetConfigFinding>;
    /**
     * The configuration, at most 1048576 bytes in UTF-8.
     */
    rawConfig: string;
};

/**
 * How many agents run what they are to run.
 *
 * @example
 * ```ts
 * const fleetsStatus: FleetsStatus = await getFleetsStatus(client, { projectID });
 * ```
 */
export type FleetsStatus = {
    /**
     * Agents of fleets.
     */
    managed: number;
    /**
     * Agents that run the version that they are to run, and are healthy.
     */
    healthy: number;
    /**
     * Agents that do not run the version yet that they are to run.
     */
    inProgress: number;
    /**
     * Agents that are unhealthy, have rejected the version, or are not heard. They are not counted as in progress.
     */
    unhealthy: number;
};

/**
 * Hours of some weekdays, or a single time, in which no rollout starts and no stage begins.
 *
 * @example
 * ```ts
 * const window: FreezeWindow = { name: 'nights', weekdays: ['fri'], from: '18:00', to: '08:00', zone: 'Europe/Berlin' };
 * ```
 */
export type FreezeWindow = {
    /**
     * Unique in the project.
     */
    name: string;
    /**
     * On which it begins.
     */
    weekdays: Array<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'>;
    /**
     * When it begins, on the clocks of the zone.
     */
    from: string;
    /**
     * When it ends; on the next day if that is not later than `from`.
     */
    to: string;
    /**
     * As in the IANA time zone database.
     */
    zone: string;
} | {
    /**
     * Unique in the project.
     */
    name: string;
    /**
     * When it begins.
     */
    startsAt: string;
    /**
     * When it ends.
     */
    endsAt: string;
};

/**
 * When no rollout of a project starts, and whether that is now.
 *
 * @example
 * ```ts
 * const freezeWindows: FreezeWindows = await getFreezeWindows(client, { projectID });
 * ```
 */
export type FreezeWindows = {
    freezeWindows: Array<FreezeWindow>;
    /**
     * The freeze that holds now. `endsAt` is null if it does not end within two months.
     */
    freeze: {
        /**
         * Of the window.
         */
        name: string;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        endsAt: string | null;
    } | null;
    /**
     * The freeze that begins next, after the one that holds: on some weekdays within a week, or at a single time. Null: none does.
     */
    nextFreeze: {
        /**
         * Of the window with which it begins.
         */
        name: string;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        startsAt: string;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        endsAt: string | null;
    } | null;
};

/**
 * An invitation that can still be accepted.
 *
 * @example
 * ```ts
 * const { items }: { items: Invitation[] } = await listInvitations(client, { projectID }).first();
 * ```
 */
export type Invitation = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    /**
     * `custom`: a list of permissions of its own.
     */
    role: 'owner' | 'operator' | 'viewer' | 'custom';
    /**
     * What the role permits in the project.
     */
    permissions: Array<Permission>;
    /**
     * For whom it is, as a note for the list: anybody who has the code can accept it.
     */
    email: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * 7 days after its creation.
     */
    expiresAt: string;
    createdBy: Actor;
};

/**
 * The process is alive.
 *
 * @example
 * ```ts
 * const liveness: Liveness = await getLiveness(client);
 * ```
 */
export type Liveness = {
    status: 'ok';
    version: string;
};

/**
 * Whom the credential identifies, and what it may do.
 *
 * @example
 * ```ts
 * const me: Me = await getMe(client);
 * ```
 */
export type Me = {
    kind: 'access' | 'project' | 'agent' | 'core_instance';
    /**
     * UUIDv7, lower case.
     */
    id: string;
    name: string;
    /**
     * Of a project token, an agent and a core instance: what it may do in its project. Of a user: what the credential may do in every project.
     */
    permissions: Array<Permission>;
    /**
     * UUIDv7, lower case.
     */
    projectID: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    expiresAt: string | null;
    /**
     * Of a user: what the credential may do on the installation itself, such as creating projects. Administrators have `*`.
     */
    installationPermissions?: Array<string>;
    /**
     * Of an administrator: the backups that the service makes by itself. Absent: it makes none, because MUSTER_BACKUP_DIR is not set.
     */
    backups?: {
        /**
         * When the newest complete backup in MUSTER_BACKUP_DIR began. Null: it has none.
         */
        lastAt: string | null;
        /**
         * MUSTER_BACKUP_EVERY.
         */
        everySeconds: number;
    };
    /**
     * Of a user: projects where the credential may do more than in every project, the newest 100.
     */
    projects?: Array<{
        /**
         * UUIDv7, lower case.
         */
        id: string;
        name: string;
        permissions: Array<string>;
    }>;
    /**
     * Of a browser that has signed in: the session of the request.
     */
    sessionID?: string;
    /**
     * Of a user without access to any project: how to get it.
     */
    note?: string;
};

/**
 * A user with a role in a project.
 *
 * @example
 * ```ts
 * const member: Member = await addMember(client, { projectID, body: { userID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', role: 'operator' } });
 * ```
 */
export type Member = {
    /**
     * UUIDv7, lower case.
     */
    userID: string;
    name: string;
    /**
     * `custom`: a list of permissions of its own.
     */
    role: 'owner' | 'operator' | 'viewer' | 'custom';
    /**
     * What the role permits in the project.
     */
    permissions: Array<Permission>;
    /**
     * When the user became a member.
     */
    createdAt: string;
    createdBy: Actor;
};

/**
 * A user became a member of the project, got another role, or was removed.
 *
 * @example
 * ```ts
 * const describe = ({ type, name, role }: MemberEvent) => [type, name, role];
 * ```
 */
export type MemberEvent = {
    type: 'member.added' | 'member.updated' | 'member.removed';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * UUIDv7, lower case.
     */
    userID: string;
    name: string;
    /**
     * The role after the change; of a removed member, the last one.
     */
    role: 'owner' | 'operator' | 'viewer' | 'custom';
};

/**
 * Agents to move.
 *
 * @example
 * ```ts
 * const body: MoveAgents = { agentIDs: ['0197a3c2-7b4e-7f1a-9c3d-2e5f8a1b4c6d'] };
 * await moveAgents(client, { fleetID, body });
 * ```
 */
export type MoveAgents = {
    /**
     * Agents of the project of the fleet.
     */
    agentIDs: ReadonlyArray<string>;
};

/**
 * How many agents were moved.
 *
 * @example
 * ```ts
 * const movedAgents: MovedAgents = await moveAgents(client, { fleetID, body: { agentIDs: ['0197a3c2-7b4e-7f1a-9c3d-2e5f8a1b4c6d'] } });
 * ```
 */
export type MovedAgents = {
    /**
     * Agents that were in another fleet. The others were in this one already.
     */
    movedCount: number;
};

/**
 * How long, and why, new errors of a group are stored as dismissed.
 *
 * @example
 * ```ts
 * const body: MuteAgentErrorGroup = { until: '2030-01-31T00:00:00Z', reason: 'Known until the update on Monday' };
 * await muteAgentErrorGroup(client, { agentErrorGroupID, body });
 * ```
 */
export type MuteAgentErrorGroup = {
    /**
     * When the mute ends. In the future.
     */
    until: string;
    reason: string;
    /**
     * true: it also ends, within seconds, when an agent that got another configuration after the mute began has an error of the group.
     */
    endsWithConfiguration?: boolean | undefined;
    /**
     * It also ends, within seconds, when errors of the group were stored for this many agents that had none when it began.
     */
    moreAgents?: number | undefined;
};

/**
 * An open error, as lists of agents say it.
 *
 * @example
 * ```ts
 * const { openError }: { openError: OpenAgentError | null } = await getAgent(client, { agentID });
 * ```
 */
export type OpenAgentError = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    error: string;
    /**
     * The group of errors with the same cause. Null for a moment after an update of the service.
     */
    groupID: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * How often the error was reported, including the first time.
     */
    occurrences: number;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastSeenAt: string;
};

/**
 * RFC 9457 problem details.
 *
 * @example
 * ```ts
 * const explain = ({ detail, fields = [] }: Problem) => [detail, ...fields.map(({ message }) => message)];
 * await getMe(client).catch((error) => console.error(error instanceof MusterError && explain(error.problem)));
 * ```
 */
export type Problem = {
    /**
     * URI reference of the page that explains the code.
     */
    type: string;
    title: string;
    status: number;
    /**
     * What happened, why, and what to do.
     */
    detail: string;
    /**
     * The code as a short stable sentence.
     */
    error: string;
    /**
     * Stable snake_case name of the refusal.
     */
    code: string;
    /**
     * The same id as in the X-Request-Id header and the log line.
     */
    requestID: string;
    fields?: Array<{
        /**
         * JSON pointer into the body, or the name of a parameter.
         */
        path: string;
        message: string;
    }>;
};

/**
 * A project contains tokens, agents and their errors.
 *
 * @example
 * ```ts
 * const project: Project = await updateProject(client, { projectID, body: { name: 'Edge' } });
 * ```
 */
export type Project = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    name: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    updatedAt: string;
};

/**
 * The `data` of one event; its `type` is also in the `event` field.
 *
 * @example
 * ```ts
 * const isOfAgent = ({ type }: ProjectEvent) => type.startsWith('agent.');
 * ```
 */
export type ProjectEvent = AgentErrorsEvent | AgentErrorGroupEvent | AgentEvent | AgentStatusEvent | CoreInstanceEvent | FleetEvent | RolloutEvent | DismissalEvent | TokenEvent | TokenLeakEvent | MemberEvent | ProjectUpdatedEvent | AlertChannelEvent | AlertRuleEvent | ResetEvent;

/**
 * New errors and groups of a project over time, beside the configurations of its agents.
 *
 * @example
 * ```ts
 * const projectHistory: ProjectHistory = await getProjectHistory(client, { projectID });
 * ```
 */
export type ProjectHistory = {
    /**
     * The length of time that is counted together.
     */
    bucket: 'minute' | 'hour' | 'day';
    /**
     * Oldest first, also those in which nothing happened. Hours and days are in UTC.
     */
    buckets: Array<{
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        startsAt: string;
        /**
         * Agent errors that were created in this time and are still stored. Repeats of them are not counted.
         */
        errorsCount: number;
        /**
         * Groups whose first error was created in this time.
         */
        newGroupsCount: number;
        /**
         * How often an agent got another configuration in this time, of those in `config_history`. Its first one is not counted.
         */
        configChangesCount: number;
    }>;
    /**
     * The 20 configurations that the most agents got, the largest first.
     */
    configurations: Array<{
        /**
         * The configuration of the agent that got it first, such as for `config_diff`.
         */
        configID: string;
        /**
         * UUIDv7, lower case.
         */
        agentID: string;
        agentName: string;
        /**
         * Agents that got it in the time of the history.
         */
        agentsCount: number;
        /**
         * When the first of these agents got it.
         */
        firstChangedAt: string;
        /**
         * When the last of these agents got it.
         */
        lastChangedAt: string;
    }>;
    /**
     * Different configurations that agents got in the time of the history.
     */
    configurationsCount: number;
};

/**
 * Exact counts of a project.
 *
 * @example
 * ```ts
 * const projectSummary: ProjectSummary = await getProjectSummary(client, { projectID });
 * ```
 */
export type ProjectSummary = {
    /**
     * Everything that was stored before this time is counted.
     */
    countedAt: string;
    /**
     * Agents that are registered.
     */
    agentsCount: number;
    /**
     * The sum is `agentsCount`.
     */
    agentsByStatus: {
        /**
         * Agents with this status.
         */
        healthy: number;
        /**
         * Agents with this status.
         */
        unhealthy: number;
        /**
         * Agents with this status.
         */
        offline: number;
        /**
         * Agents with this status.
         */
        stopped: number;
        /**
         * Agents with this status.
         */
        unknown: number;
    };
    /**
     * The 20 versions with the most agents, the largest first. Null: the agents did not say.
     */
    agentsByVersion: Array<{
        type: string | null;
        version: string | null;
        agentsCount: number;
    }>;
    /**
     * Agents of the versions that are not listed.
     */
    agentsOfOtherVersionsCount: number;
    /**
     * Errors that are not dismissed.
     */
    openErrorsByState: {
        /**
         * Open errors of configurations that their agents still have.
         */
        current: number;
        /**
         * Open errors of earlier configurations.
         */
        superseded: number;
    };
    /**
     * Groups with an open and current error.
     */
    openGroupsCount: number;
    /**
     * Also groups that have been dismissed since.
     */
    newGroupsCount: {
        /**
         * Groups whose first error was created in the last hour.
         */
        lastHour: number;
        /**
         * Groups whose first error was created in the last 24 hours.
         */
        lastDay: number;
    };
    /**
     * Musters at sites.
     */
    coreInstances: {
        /**
         * Core instances with this status.
         */
        waiting: number;
        /**
         * Core instances with this status.
         */
        running: number;
        /**
         * Core instances with this status.
         */
        unreachable: number;
        /**
         * The longest time for which something waits at a site.
         */
        maxLagSeconds: number;
    };
};

/**
 * The project was renamed.
 *
 * @example
 * ```ts
 * const describe = ({ type, name }: ProjectUpdatedEvent) => [type, name];
 * ```
 */
export type ProjectUpdatedEvent = {
    type: 'project.updated';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * The name after the change.
     */
    name: string;
};

/**
 * A project with what it has stored.
 *
 * @example
 * ```ts
 * const projectWithUsage: ProjectWithUsage = await getProject(client, { projectID });
 * ```
 */
export type ProjectWithUsage = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    name: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    updatedAt: string;
    /**
     * What the project has stored, with its limits.
     */
    usage: {
        /**
         * Agents that are registered now.
         */
        agents: number;
        /**
         * MUSTER_MAX_AGENTS_PER_PROJECT. Null: no limit.
         */
        maxAgents: number | null;
        /**
         * Size of what its agents have stored, at the last count. Counted at most once a minute. Null: not counted yet, or no limit is set.
         */
        storedBytes: number | null;
        /**
         * MUSTER_MAX_STORED_BYTES_PER_PROJECT. Null: no limit.
         */
        maxStoredBytes: number | null;
    };
};

/**
 * A change, without any value of a token.
 *
 * @example
 * ```ts
 * const body = { projects: [{ name: 'edge' }], dryRun: true };
 * const { changes }: { changes: ProvisioningChange[] } = await applyProvisioning(client, { body });
 * ```
 */
export type ProvisioningChange = {
    /**
     * `rotate`: a token gets another value. `skip`: it differs from the file and is left as it is, for the reason in `reason`.
     */
    action: 'create' | 'update' | 'rotate' | 'skip';
    resource: 'project' | 'member' | 'token' | 'fleet';
    /**
     * Where the request names it: a JSON pointer (RFC 6901).
     */
    path: string;
    projectID: string;
    /**
     * The name of the project.
     */
    project: string;
    /**
     * Of the project, the user, the token or the fleet.
     */
    id: string;
    name: string;
    fields: Array<{
        field: string;
        /**
         * Null: it had none, or it is new.
         */
        before: string | null;
        /**
         * Null: none.
         */
        after: string | null;
    }>;
    /**
     * Why it is left alone, or what is left to do. Null: nothing is.
     */
    reason: string | null;
};

/**
 * A page of the rows of a project that leaves.
 *
 * @example
 * ```ts
 * const body: ReadDepartingRows = { table: 'agents' };
 * await readDepartingRows(client, { projectID, body });
 * ```
 */
export type ReadDepartingRows = {
    /**
     * One of `tables`.
     */
    table: string;
    /**
     * The values of the columns that order the table.
     */
    after?: ReadonlyArray<string | number> | null | undefined;
    /**
     * False: only their digest. Absent: true.
     */
    withRows?: boolean | undefined;
    /**
     * For the secrets of the project: an X25519 key (RFC 8410) in base64.
     */
    publicKey?: string | null | undefined;
};

/**
 * Requests are answered.
 *
 * @example
 * ```ts
 * const readiness: Readiness = await getReadiness(client);
 * ```
 */
export type Readiness = {
    status: 'ready';
    database: 'sqlite' | 'postgres';
};

/**
 * The same, whether a value is a credential or not.
 *
 * @example
 * ```ts
 * const receivedLeaks: ReceivedLeaks = await reportTokenLeaks(client, { body: [{ token: 'the whole value' }] });
 * ```
 */
export type ReceivedLeaks = {
    /**
     * Number of values in the request.
     */
    received: number;
};

/**
 * What an agent reports about itself when it starts. Other fields are ignored.
 *
 * @example
 * ```ts
 * const body: RegisterAgent = { name: 'edge-7', machineID: 'edge-7.example.com', heartbeatSeconds: 30, type: 'fluentbit' };
 * await registerAgent(client, { body });
 * ```
 */
export type RegisterAgent = {
    /**
     * Not unique.
     */
    name: string;
    /**
     * Identifies the host. Within a project, the same machine id is the same agent.
     */
    machineID: string;
    /**
     * The agent promises a sign of life (heartbeat, metrics or report) at least this often. After three times as long without one, at least 90 seconds, it is `offline`. 0: it promises nothing. Absent: it stays as it was; an agent that never said it is expected as often as its last heartbeats or metrics came.
     */
    heartbeatSeconds?: number | null | undefined;
    /**
     * `fluentbit`, `fluentd`, `vector`, `otelcol` or any other type.
     */
    type?: string | null | undefined;
    /**
     * As the agent reports it.
     */
    version?: string | null | undefined;
    edition?: string | null | undefined;
    os?: string | null | undefined;
    arch?: string | null | undefined;
    /**
     * The arguments that started the agent. Secrets in them are replaced before they are stored.
     */
    flags?: ReadonlyArray<string> | null | undefined;
    /**
     * Secrets in it are replaced before it is stored. Fields that would exceed MUSTER_MAX_METADATA_BYTES_PER_AGENT, measured as JSON, are left out; the answer then has `Muster-Left-Out`.
     */
    metadata?: {
        [key: string]: unknown;
    } | null;
    tags?: ReadonlyArray<string> | null | undefined;
    /**
     * The fleet that the agent reports; in answers, the id of that fleet if there is one here.
     */
    fleetID?: string | null | undefined;
    /**
     * The configuration that the agent runs. Secrets in it are replaced before it is stored. If it has more than 1,048,576 characters, only a line that says so is stored.
     */
    rawConfig?: string | null | undefined;
};

/**
 * The agent and its token.
 *
 * @example
 * ```ts
 * const registeredAgent: RegisteredAgent = await registerAgent(client, { body: { name: 'edge-7', machineID: 'edge-7.example.com', heartbeatSeconds: 30, type: 'fluentbit' } });
 * ```
 */
export type RegisteredAgent = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * The agent token, for X-Agent-Token. The previous token stays valid until this one has been used.
     */
    token: string;
    name: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
};

/**
 * What became of the project tokens that the user has created or rotated.
 *
 * @example
 * ```ts
 * const removedMember: RemovedMember = await removeMember(client, { projectID, userID });
 * ```
 */
export type RemovedMember = {
    /**
     * Valid project tokens that the user has created or rotated, and knows. They go on working, because agents use them: list the tokens of the project, and replace them.
     */
    keptTokensCount: number;
    /**
     * Project tokens that were revoked, with those that were created with them. Of a token that somebody else has rotated since, only the values that the user knows are ended, and it counts too.
     */
    revokedTokensCount: number;
};

/**
 * The fleets that agents of a project report, with the number of their agents.
 *
 * @example
 * ```ts
 * const reportedFleets: ReportedFleets = await getReportedFleets(client, { projectID });
 * ```
 */
export type ReportedFleets = {
    /**
     * In the order of their ids.
     */
    fleets: Array<{
        /**
         * As the agents report it.
         */
        id: string;
        /**
         * Null: it was not created in this service.
         */
        name: string | null;
        agentsCount: number;
    }>;
};

/**
 * Events between the Last-Event-ID and this one are no longer stored, or the id is of another database: read again what you show.
 *
 * @example
 * ```ts
 * const describe = ({ at }: ResetEvent) => at;
 * ```
 */
export type ResetEvent = {
    type: 'reset';
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    at: string;
};

/**
 * Why a token is revoked, and what ends with it.
 *
 * @example
 * ```ts
 * const body: RevokeToken = { reason: 'Found in a public repository' };
 * await revokeTokenWithReason(client, { tokenID, body });
 * ```
 */
export type RevokeToken = {
    /**
     * Shown with the revoked token.
     */
    reason?: string | undefined;
    /**
     * True: the agents that registered with the token are revoked too, and must register again with another one. Otherwise they go on with their own tokens.
     */
    revokeAgents?: boolean | undefined;
};

/**
 * A version on its way to the agents of a fleet.
 *
 * @example
 * ```ts
 * const rollout: Rollout = await getRollout(client, { rolloutID });
 * ```
 */
export type Rollout = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    /**
     * UUIDv7, lower case.
     */
    fleetID: string;
    /**
     * Its name, or the last one that it had.
     */
    fleetName: string;
    /**
     * When the fleet was deleted: its versions cannot be read any more.
     */
    fleetDeletedAt: string | null;
    from: {
        /**
         * UUIDv7, lower case.
         */
        id: string;
        number: number;
    };
    to: {
        /**
         * UUIDv7, lower case.
         */
        id: string;
        number: number;
    };
    state: 'running' | 'waiting' | 'paused' | 'stopped' | 'reverting' | 'reverted' | 'completed' | 'superseded';
    /**
     * The stage that runs, or in which it ended.
     */
    stage: number;
    stages: Array<{
        /**
         * Agents of the stage.
         */
        agentsCount: number;
        soakSeconds: number;
    }>;
    /**
     * True: nobody further gets the version until a suspicion is settled, for a minute at most.
     */
    isHeld: boolean;
    /**
     * When it stops by itself if the suspicion lasts. Null: it is not held.
     */
    heldUntil: string | null;
    onFailure: 'revert' | 'hold';
    approval: 'none' | 'each_stage';
    /**
     * Who has approved which stage.
     */
    approvals: Array<{
        stage: number;
        approvedBy: Actor;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        approvedAt: string;
        reason: string;
    }>;
    /**
     * Agents of a stage that get the version in each minute.
     */
    maxPerMinute: number | null;
    /**
     * True: its stages begin also during a freeze of the project.
     */
    despiteFreeze: boolean;
    reason: string;
    /**
     * Why a rollout is in its state.
     */
    verdict: {
        /**
         * `hard_failures`: agents rejected the version, crashed with it, or fell silent. `new_cause`: agents with the version report an error that the others do not. `unhealthy`: too many report one of any kind. `not_enough_evidence`, `silent_sites`: too few have shown that they work, or sites do not deliver what their agents report. `approval`: it waits until somebody approves the next stage. `freeze`: the next stage begins when the freeze of the project ends. `person`: somebody decided it. `pending`: it ended, and some have not shown it.
         */
        rule: 'hard_failures' | 'new_cause' | 'unhealthy' | 'not_enough_evidence' | 'silent_sites' | 'approval' | 'freeze' | 'person' | 'pending';
        /**
         * Agents that show it.
         */
        agents?: number;
        /**
         * Of so many.
         */
        of?: number;
        /**
         * The stage that waits.
         */
        stage?: number;
        /**
         * The freeze window that it waits for, or despite which it was done.
         */
        freeze?: string;
        /**
         * When the freeze ends.
         */
        until?: string;
        /**
         * UUIDv7, lower case.
         */
        groupID?: string;
        /**
         * The first of them.
         */
        agentIDs?: Array<string>;
        /**
         * What the person gave as the reason.
         */
        reason?: string;
    } | null;
    agentsCount: {
        /**
         * Agents that were offered the version, with all below.
         */
        offered: number;
        /**
         * Agents that run it.
         */
        applied: number;
        /**
         * Agents that have downloaded it and go on with another one.
         */
        rejected: number;
        /**
         * Agents of the stage that have run it for the whole soak.
         */
        observed: number;
    };
    /**
     * What agents have shown.
     */
    evidence: {
        /**
         * When it stood so.
         */
        at: string;
        /**
         * Agents that run the version and are heard.
         */
        updatedCount: number;
        /**
         * Agents that they are compared with.
         */
        othersCount: number;
        /**
         * Those that agents with the version did not have before: the most widespread ones.
         */
        causes: Array<{
            /**
             * UUIDv7, lower case.
             */
            groupID: string;
            /**
             * Agents with the version that got it since.
             */
            updatedCount: number;
            /**
             * Other agents that got it since.
             */
            othersCount: number;
            /**
             * True: on enough agents with the version, and so much more often than on the others that it is hardly chance. The rollout stops if that is still so after a minute.
             */
            comesWithVersion: boolean;
            /**
             * When the first agent with the version reported it.
             */
            firstAt: string;
        }>;
        /**
         * Agents that rejected the version, crashed with it, or fell silent while the others did not.
         */
        failedCount: number;
        worse: {
            /**
             * Agents with the version that report anything new.
             */
            updatedCount: number;
            /**
             * Other agents that do.
             */
            othersCount: number;
        };
        /**
         * Agents of the stage that have run it for the whole soak.
         */
        watchedCount: number;
        /**
         * Agents of the stage that were heard when it began.
         */
        stageCount: number;
        /**
         * Sites with agents of the stage whose reports do not come in.
         */
        silentSites: Array<string>;
        /**
         * The first ones that run it.
         */
        agents: Array<{
            /**
             * UUIDv7, lower case.
             */
            agentID: string;
            name: string;
            /**
             * Since when it runs the version.
             */
            appliedAt: string;
            /**
             * When it first reported something new. Null: it has not.
             */
            reportedAt: string | null;
        }>;
    } | null;
    /**
     * What became of it, oldest first: the latest 200 steps.
     */
    history: Array<{
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        at: string;
        kind: 'held' | 'released' | 'passed' | 'promoted' | 'waiting' | 'approved' | 'paused' | 'resumed' | 'stopped' | 'reverted' | 'completed';
        /**
         * The stage in which it was.
         */
        stage: number;
        /**
         * Whoever decided it. Null: it happened by itself.
         */
        by: string | null;
    }>;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    stageStartedAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    startedAt: string;
    startedBy: Actor;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    endedAt: string | null;
};

/**
 * How far an agent is with the version of a rollout.
 *
 * @example
 * ```ts
 * const { items }: { items: RolloutAgent[] } = await listRolloutAgents(client, { rolloutID }).first();
 * ```
 */
export type RolloutAgent = {
    /**
     * UUIDv7, lower case.
     */
    agentID: string;
    name: string;
    stage: number;
    state: 'waiting' | 'offered' | 'downloaded' | 'applied' | 'rejected';
    status: string | null;
};

/**
 * A rollout began, ended, or waits for a person.
 *
 * @example
 * ```ts
 * const describe = ({ type, name, version }: RolloutEvent) => [type, name, version];
 * ```
 */
export type RolloutEvent = {
    type: 'rollout.started' | 'rollout.paused' | 'rollout.resumed' | 'rollout.stopped' | 'rollout.reverted' | 'rollout.waiting' | 'rollout.approved' | 'rollout.promoted' | 'rollout.completed';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * UUIDv7, lower case.
     */
    rolloutID: string;
    /**
     * UUIDv7, lower case.
     */
    fleetID: string;
    /**
     * Of the fleet.
     */
    name: string;
    /**
     * The number of the version that it gives to agents.
     */
    version: number;
    /**
     * Why: as in `verdict` of the rollout.
     */
    rule?: string;
};

/**
 * Why.
 *
 * @example
 * ```ts
 * const body: RolloutReason = { reason: 'Send to the new collectors' };
 * await pauseRollout(client, { rolloutID, body });
 * ```
 */
export type RolloutReason = {
    /**
     * Why. It is kept in the audit log.
     */
    reason: string;
};

/**
 * A stage of a rollout to start.
 *
 * @example
 * ```ts
 * const stage: RolloutStageRule = { agents: '10%', soakSeconds: 600 };
 * ```
 */
export type RolloutStageRule = {
    /**
     * A number or a share of the agents, with those of the stages before, or the agents with a tag, with these names, or at a site.
     */
    agents: number | string | {
        tag: string;
    } | {
        names: Array<string>;
    } | {
        site: string;
    };
    /**
     * For how long each agent of the stage has to run the version before the next stage begins.
     */
    soakSeconds: number;
};

/**
 * How long the earlier secret goes on.
 *
 * @example
 * ```ts
 * const body: RotateAlertChannel = {  };
 * await rotateAlertChannel(client, { alertChannelID, body });
 * ```
 */
export type RotateAlertChannel = {
    /**
     * For how long messages are also signed with the earlier secret. Absent: 86400, which is a day.
     */
    graceSeconds?: number | undefined;
};

/**
 * What becomes of the earlier token of a core instance.
 *
 * @example
 * ```ts
 * const body: RotateCoreInstance = { graceSeconds: 86400 };
 * await rotateCoreInstance(client, { coreInstanceID, body });
 * ```
 */
export type RotateCoreInstance = {
    /**
     * For how long the earlier token is accepted while the new one is not used. Absent: 86400.
     */
    graceSeconds?: number | undefined;
};

/**
 * What becomes of the earlier value of a token that is rotated.
 *
 * @example
 * ```ts
 * const body: RotateToken = { graceSeconds: 86400 };
 * await rotateToken(client, { tokenID, body });
 * ```
 */
export type RotateToken = {
    /**
     * For how long the earlier value is accepted beside the new one.
     */
    graceSeconds?: number | undefined;
    /**
     * True: the earlier value is accepted until the new one is used for the first time, but not for longer than graceSeconds if that is given.
     */
    retireOnUse?: boolean | undefined;
};

/**
 * The new secret of a webhook.
 *
 * @example
 * ```ts
 * const rotatedAlertChannel: RotatedAlertChannel = await rotateAlertChannel(client, { alertChannelID, body: {  } });
 * ```
 */
export type RotatedAlertChannel = {
    /**
     * The secret with which messages are signed (Standard Webhooks). No other answer contains it.
     */
    secret: string;
    /**
     * Until then, messages are signed with both secrets.
     */
    earlierSecretEndsAt: string;
};

/**
 * Something that was found.
 *
 * @example
 * ```ts
 * const describe = ({ id, name }: SearchResult) => [id, name];
 * ```
 */
export type SearchResult = {
    id: string;
    name: string;
    ID: string;
    Name: string;
};

/**
 * What an agent says with a sign of life. Other fields are ignored.
 *
 * @example
 * ```ts
 * const body: SendHeartbeat = { heartbeatSeconds: 30, signal: 'SIGTERM' };
 * await sendAgentHeartbeat(client, { agentID, body });
 * ```
 */
export type SendHeartbeat = {
    /**
     * The agent promises a sign of life (heartbeat, metrics or report) at least this often. After three times as long without one, at least 90 seconds, it is `offline`. 0: it promises nothing. Absent: it stays as it was; an agent that never said it is expected as often as its last heartbeats or metrics came.
     */
    heartbeatSeconds?: number | undefined;
    /**
     * Absent: `running`. `stopped`: the agent ends now.
     */
    status?: 'running' | 'stopped' | undefined;
    /**
     * With `stopped`: the exit code of its process. 0, 130 and 143 are no failures (128 and the number of SIGINT or SIGTERM).
     */
    exitCode?: number | undefined;
    /**
     * With `stopped`: the signal that ended its process. SIGTERM and SIGINT are no failures.
     */
    signal?: string | undefined;
};

/**
 * A browser in which a user is signed in.
 *
 * @example
 * ```ts
 * const { items }: { items: Session[] } = await listSessions(client).first();
 * ```
 */
export type Session = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * UUIDv7, lower case.
     */
    userID: string;
    userName: string;
    /**
     * `sign_in_link`: with a link that works once. `access_token`: with an access token that was pasted. `identity_provider`: through the identity provider.
     */
    method: 'sign_in_link' | 'access_token' | 'identity_provider';
    /**
     * The access token with which the session was created. The session does no more than it, and ends with it.
     */
    accessTokenID: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * When it was last used, to the minute.
     */
    lastUsedAt: string;
    /**
     * Its latest end. It ends earlier if it is not used for as long as `MUSTER_SESSION_IDLE_HOURS` says.
     */
    expiresAt: string;
    /**
     * From where somebody signed in.
     */
    address: string | null;
    /**
     * What the browser calls itself.
     */
    userAgent: string | null;
    /**
     * True for the session of the request.
     */
    current: boolean;
};

/**
 * A link with which a browser signs in.
 *
 * @example
 * ```ts
 * const signInLink: SignInLink = await createSignInLink(client);
 * ```
 */
export type SignInLink = {
    /**
     * Open it in a browser and confirm. It works once.
     */
    url: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    expiresAt: string;
};

/**
 * The code of an invitation, and the name of the new user.
 *
 * @example
 * ```ts
 * const body: SignUp = { code: 'mst_i_…', name: 'Ada Lovelace' };
 * await signUp(client, { body });
 * ```
 */
export type SignUp = {
    /**
     * The code of the invitation.
     */
    code: string;
    /**
     * Your name.
     */
    name: string;
};

/**
 * The new user, with their first access token.
 *
 * @example
 * ```ts
 * const signedUp: SignedUp = await signUp(client, { body: { code: 'mst_i_…', name: 'Ada Lovelace' } });
 * ```
 */
export type SignedUp = {
    /**
     * UUIDv7, lower case.
     */
    projectID: string;
    /**
     * UUIDv7, lower case.
     */
    userID: string;
    /**
     * `custom`: a list of permissions of its own.
     */
    role: 'owner' | 'operator' | 'viewer' | 'custom';
    /**
     * What the role permits in the project.
     */
    permissions: Array<Permission>;
    /**
     * The first access token of the new user. Only this answer contains it.
     */
    token: string;
};

/**
 * A page of the credentials of the project, or of what has changed of them.
 *
 * @example
 * ```ts
 * const siteCredentials: SiteCredentials = await listSiteCredentials(client);
 * ```
 */
export type SiteCredentials = {
    /**
     * Limits that the site applies to agents, as this service does. 0: no limit.
     */
    limits: {
        /**
         * One cause may have a quarter of them, at least 10.
         */
        newErrorsPerAgentPerMinute: number;
        /**
         * At this site.
         */
        newErrorsPerProjectPerSecond: number;
        /**
         * At this site.
         */
        invalidCredentialsPerAddressPerMinute: number;
        /**
         * `once`: an agent that registers again without proving what it is gets another id, until this service has judged. Absent: `open`.
         */
        registration?: 'open' | 'once';
    };
    /**
     * Ask with it for what follows.
     */
    cursor: string;
    /**
     * True: forget all that you know, the list begins anew.
     */
    reset: boolean;
    /**
     * True: ask again at once.
     */
    more: boolean;
    items: Array<{
        kind: 'project' | 'agent';
        /**
         * SHA-256 of the whole value, in hexadecimal digits.
         */
        digest: string;
        /**
         * Of the project token or the agent. Null: it is gone.
         */
        id: string | null;
        permissions: Array<string>;
        /**
         * Lists of networks from which it may be used: the address is in a network of each list. None: from everywhere.
         */
        networks: Array<Array<string>>;
        /**
         * Limits on its reports: its own, and those of the tokens on which it depends, each shared by all that depend on that token.
         */
        rates: Array<{
            /**
             * UUIDv7, lower case.
             */
            tokenID: string;
            reportsPerSecond: number;
        }>;
        /**
         * When it expires. Null: never.
         */
        expiresAt: number | null;
        /**
         * True: refuse it from now on.
         */
        revoked: boolean;
        /**
         * True: its agent was deleted. Refuse what concerns the agent with 410.
         */
        deleted: boolean;
    }>;
};

/**
 * What agents get, as it is sent to them.
 *
 * @example
 * ```ts
 * const siteFleetContent: SiteFleetContent = await getSiteFleetContent(client, { content: 'web-01' });
 * ```
 */
export type SiteFleetContent = {
    classic: {
        parts: Array<string | {
            of: 'handle';
        } | {
            of: 'host';
            /**
             * What stands before each dot of the name.
             */
            escape: string;
        } | {
            of: 'port';
        }>;
    } | {
        problem: Problem;
    };
    yaml: {
        parts: Array<string | {
            of: 'handle';
        } | {
            of: 'host';
            /**
             * What stands before each dot of the name.
             */
            escape: string;
        } | {
            of: 'port';
        }>;
    } | {
        problem: Problem;
    };
    /**
     * What agents get for the files, as text.
     */
    files: string;
};

/**
 * All fleets of the project. `changed` is null if they are as the cursor says.
 *
 * @example
 * ```ts
 * const siteFleets: SiteFleets = await listSiteFleets(client);
 * ```
 */
export type SiteFleets = {
    /**
     * Ask with it for what has changed.
     */
    cursor: string;
    changed: {
        fleets: Array<{
            /**
             * UUIDv7, lower case.
             */
            id: string;
            name: string;
            /**
             * The ids of its agents begin with it.
             */
            number: number;
            /**
             * With it, the core instance makes ids for agents of this fleet, which the service accepts.
             */
            handleKey: string;
            /**
             * A version under a date.
             */
            current: {
                /**
                 * UUIDv7, lower case.
                 */
                versionID: string;
                /**
                 * The date by which agents know a version, in seconds since 1970.
                 */
                seconds: number;
                /**
                 * What agents get. Ask for it with this key; what a key stands for never changes.
                 */
                content: string;
            } | null;
            /**
             * Who gets another version than `current`: `to`, or, if there is `back`, that one instead if it has `to`. Who still has the version of an earlier rollout that went back gets `before`.
             */
            rollout: {
                /**
                 * A version under a date.
                 */
                to: {
                    /**
                     * UUIDv7, lower case.
                     */
                    versionID: string;
                    /**
                     * The date by which agents know a version, in seconds since 1970.
                     */
                    seconds: number;
                    /**
                     * What agents get. Ask for it with this key; what a key stands for never changes.
                     */
                    content: string;
                };
                /**
                 * A version under a date.
                 */
                back: {
                    /**
                     * UUIDv7, lower case.
                     */
                    versionID: string;
                    /**
                     * The date by which agents know a version, in seconds since 1970.
                     */
                    seconds: number;
                    /**
                     * What agents get. Ask for it with this key; what a key stands for never changes.
                     */
                    content: string;
                } | null;
                /**
                 * A version under a date.
                 */
                before: {
                    /**
                     * UUIDv7, lower case.
                     */
                    versionID: string;
                    /**
                     * The date by which agents know a version, in seconds since 1970.
                     */
                    seconds: number;
                    /**
                     * What agents get. Ask for it with this key; what a key stands for never changes.
                     */
                    content: string;
                } | null;
                /**
                 * The agents of this site that get `to`: nobody else does, whatever happens meanwhile.
                 */
                handles: Array<string>;
                /**
                 * True: agents that all ask with the id of the fleet get `to` too.
                 */
                isForAnonymous: boolean;
            } | null;
        }>;
        /**
         * All agents of the project that were moved from the fleet that they are configured with, wherever they were heard last, and the agents of this site that get later dates.
         */
        moved: Array<{
            handle: string;
            /**
             * UUIDv7, lower case.
             */
            fleetID: string;
            /**
             * How much later the dates are that it gets.
             */
            shift: number;
        }>;
        /**
         * The newest publications of the project, the newest first: what agents say that they have.
         */
        publications: Array<{
            /**
             * UUIDv7, lower case.
             */
            fleetID: string;
            /**
             * UUIDv7, lower case.
             */
            versionID: string;
            /**
             * The date by which agents know a version, in seconds since 1970.
             */
            seconds: number;
        }>;
    } | null;
};

/**
 * A version to give to the agents of a fleet, stage by stage.
 *
 * @example
 * ```ts
 * const body: StartRollout = { versionID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', maxPerMinute: 100, reason: 'Send to the new collectors' };
 * await startRollout(client, { fleetID, body });
 * ```
 */
export type StartRollout = {
    /**
     * The version to give to them.
     */
    versionID: string;
    /**
     * Absent: one agent, 10%, 50%, and all, with ten minutes each. Agents that no stage takes are in a last one.
     */
    stages?: ReadonlyArray<RolloutStageRule> | undefined;
    /**
     * `revert`: when the rollout stops by itself, agents go back to the version before. `hold`: they keep what they have. Absent: `revert`.
     */
    onFailure?: 'revert' | 'hold' | undefined;
    /**
     * `each_stage`: each stage but the first begins only when somebody approves it. Until then, the agents that have the version are watched. Absent: `none`.
     */
    approval?: 'none' | 'each_stage' | undefined;
    /**
     * Agents of a stage that get the version in each minute. Absent: all of them at once.
     */
    maxPerMinute?: number | undefined;
    /**
     * Why. It is kept in the audit log.
     */
    reason: string;
    /**
     * True: nothing happens. The answer is the plan.
     */
    dryRun?: boolean | undefined;
    /**
     * True: its stages begin also during a freeze of the project.
     */
    despiteFreeze?: boolean | undefined;
    /**
     * True: also if a rollout of this version was stopped by itself before.
     */
    despiteBad?: boolean | undefined;
};

/**
 * The rollout, and who gets the version when.
 *
 * @example
 * ```ts
 * const startedRollout: StartedRollout = await startRollout(client, { fleetID, body: { versionID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', maxPerMinute: 100, reason: 'Send to the new collectors' } });
 * ```
 */
export type StartedRollout = {
    /**
     * Null: it was a dry run.
     */
    id: string | null;
    stages: Array<{
        /**
         * Agents that get the version in this stage.
         */
        agentsCount: number;
        /**
         * Of these, the ones that were heard lately.
         */
        aliveCount: number;
        soakSeconds: number;
        /**
         * Of its first agents, at most ten.
         */
        names: Array<string>;
    }>;
};

/**
 * A credential with which agents, core instances and command-line clients access a project.
 *
 * @example
 * ```ts
 * const token: Token = await createToken(client, { projectID, body: { name: 'ci-deploy', permissions: ['create:*'], allowedNetworks: null } });
 * ```
 */
export type Token = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    /**
     * The whole value in the answer that created the token; masked (`mst_p_…wXyZ`) everywhere else.
     */
    token: string;
    name: string;
    /**
     * The granted permissions: action:resource. A token that was created with another token can use only those that the other token also has.
     */
    permissions: Array<Permission>;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    expiresAt: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastUsedAt: string | null;
    /**
     * `expiring`: valid, but it expires within 7 days, or one of its earlier values ends within that time.
     */
    status: 'active' | 'expiring' | 'expired' | 'revoked';
    /**
     * The networks from which it may be used; null: from everywhere.
     */
    allowedNetworks: Array<string> | null;
    /**
     * Maximum number of reports per second on each replica; null: no limit.
     */
    reportsPerSecond: number | null;
    /**
     * When it got its current value; null: when it was created.
     */
    rotatedAt: string | null;
    /**
     * Values from before its last rotations that are still accepted, newest first.
     */
    earlierValues: Array<EarlierValue>;
    createdBy: Actor;
    /**
     * The project token that created this one, or widened or rotated it later: this one can do no more than it, and is revoked with it.
     */
    parentID: string | null;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    revokedAt: string | null;
    revokedBy: Actor | null;
    revokeReason: string | null;
    /**
     * When somebody last reported that they have found a value of it.
     */
    leakedAt: string | null;
    /**
     * Where the value was found, in the words of whoever reported it.
     */
    leakSource: string | null;
    /**
     * Number of agents that last registered, or last reported by machine id, with this token.
     */
    agentsCount: number;
};

/**
 * A token was created, changed, rotated or revoked.
 *
 * @example
 * ```ts
 * const describe = ({ type, name }: TokenEvent) => [type, name];
 * ```
 */
export type TokenEvent = {
    type: 'token.created' | 'token.updated' | 'token.rotated' | 'token.revoked';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * UUIDv7, lower case.
     */
    tokenID: string;
    name: string;
    /**
     * Of `token.updated`: the permissions that it had before, changed or not.
     */
    permissionsBefore?: Array<string>;
};

/**
 * A credential that somebody has found where it should not be. Other fields are ignored.
 *
 * @example
 * ```ts
 * const leak: TokenLeak = { token: 'the whole value', url: 'https://git.example/fleet/agent.yaml' };
 * await reportTokenLeaks(client, { body: [leak] });
 * ```
 */
export type TokenLeak = {
    /**
     * The whole value that was found.
     */
    token: string;
    /**
     * Where it was found. Shown to people of the project.
     */
    url?: string | null;
    /**
     * In what it was found. Shown to people of the project.
     */
    source?: string | null;
};

/**
 * Somebody has reported that they found the value of a token.
 *
 * @example
 * ```ts
 * const describe = ({ name, source, revoked }: TokenLeakEvent) => [name, source, revoked];
 * ```
 */
export type TokenLeakEvent = {
    type: 'token.leaked';
    /**
     * When the service noted it, which may be a moment after it happened.
     */
    at: string;
    /**
     * The kind of the credential.
     */
    kind: 'project' | 'agent';
    /**
     * Of a project token.
     */
    tokenID: string | null;
    /**
     * Of the token of an agent.
     */
    agentID: string | null;
    /**
     * The name of the token, or of the agent.
     */
    name: string;
    /**
     * True if the value that was found is refused from now on.
     */
    revoked: boolean;
    /**
     * Where it was found, in the words of whoever reported it.
     */
    source: string | null;
};

/**
 * Who uses a token, and who stops working if it is revoked.
 *
 * @example
 * ```ts
 * const tokenUsage: TokenUsage = await getTokenUsage(client, { tokenID });
 * ```
 */
export type TokenUsage = {
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    lastUsedAt: string | null;
    /**
     * The last 30 days with a request, newest first.
     */
    requestsByDay: Array<{
        /**
         * In UTC.
         */
        day: string;
        requests: number;
    }>;
    /**
     * The last five addresses, newest first. Of a token with many requests a second, only some requests are looked at.
     */
    addresses: Array<{
        address: string;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        lastUsedAt: string;
    }>;
    /**
     * The last five texts that clients sent as User-Agent, newest first.
     */
    userAgents: Array<{
        userAgent: string;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        lastUsedAt: string;
    }>;
    /**
     * Values from before its last rotations that are still accepted, newest first, and who has used each of them since it was replaced. Who has not got the new value yet is among these.
     */
    earlierValues: Array<{
        /**
         * Masked.
         */
        token: string;
        /**
         * When it ends; null: at the first use of a later value.
         */
        endsAt: string | null;
        /**
         * True if it ends at the first use of a later value.
         */
        retiresOnUse: boolean;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        lastUsedAt: string | null;
        /**
         * The last five addresses, newest first. Of a token with many requests a second, only some requests are looked at.
         */
        addresses: Array<{
            address: string;
            /**
             * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
             */
            lastUsedAt: string;
        }>;
        /**
         * The last five texts that clients sent as User-Agent, newest first.
         */
        userAgents: Array<{
            userAgent: string;
            /**
             * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
             */
            lastUsedAt: string;
        }>;
    }>;
    /**
     * Number of agents that last registered, or last reported by machine id, with this token.
     */
    agentsCount: number;
    /**
     * Of these, how many stop when this token ends: they report by machine id with it, and have no token of their own.
     */
    stoppingAgentsCount: number;
    /**
     * At most 100 of these agents: those that stop when this token ends, then the others, each the newest first. None without the permission `read:agent`.
     */
    agents: Array<{
        /**
         * UUIDv7, lower case.
         */
        id: string;
        name: string;
        /**
         * It last registered with this token. It goes on with its own token if this one is revoked without its agents.
         */
        registered: boolean;
        /**
         * It last reported by machine id with this token. Such reports are refused if this one is revoked.
         */
        reports: boolean;
        /**
         * It has a token of its own, such as `muster report` uses, with which it goes on. `false` with `reports`: it stops if this token is revoked.
         */
        hasOwnToken: boolean;
        /**
         * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
         */
        lastSeenAt: string;
    }>;
};

/**
 * The fields of an agent to change: absent and null fields stay as they are.
 *
 * @example
 * ```ts
 * const body: UpdateAgent = { name: 'edge-7', heartbeatSeconds: 30 };
 * await updateAgent(client, { agentID, body });
 * ```
 */
export type UpdateAgent = {
    /**
     * Not unique.
     */
    name?: string | null | undefined;
    /**
     * The agent promises a sign of life (heartbeat, metrics or report) at least this often. After three times as long without one, at least 90 seconds, it is `offline`. 0: it promises nothing. Absent: it stays as it was; an agent that never said it is expected as often as its last heartbeats or metrics came.
     */
    heartbeatSeconds?: number | null | undefined;
    /**
     * `fluentbit`, `fluentd`, `vector`, `otelcol` or any other type.
     */
    type?: string | null | undefined;
    /**
     * As the agent reports it.
     */
    version?: string | null | undefined;
    edition?: string | null | undefined;
    os?: string | null | undefined;
    arch?: string | null | undefined;
    /**
     * The arguments that started the agent. Secrets in them are replaced before they are stored.
     */
    flags?: ReadonlyArray<string> | null | undefined;
    /**
     * Secrets in it are replaced before it is stored. Fields that would exceed MUSTER_MAX_METADATA_BYTES_PER_AGENT, measured as JSON, are left out; the answer then has `Muster-Left-Out`.
     */
    metadata?: {
        [key: string]: unknown;
    } | null;
    tags?: ReadonlyArray<string> | null | undefined;
    /**
     * The fleet that the agent reports; in answers, the id of that fleet if there is one here.
     */
    fleetID?: string | null | undefined;
    /**
     * The configuration that the agent runs. Secrets in it are replaced before it is stored. If it has more than 1,048,576 characters, only a line that says so is stored.
     */
    rawConfig?: string | null | undefined;
};

/**
 * Who looks after groups, and what people know of them. Absent fields stay as they are.
 *
 * @example
 * ```ts
 * const body: UpdateAgentErrorGroups = { groupIDs: ['98a17ed9-f1d9-8a18-a9f0-c1a5b6925a0f'], note: 'Asking the platform team to stop it.', link: 'https://tickets.example.com/4711' };
 * await updateAgentErrorGroups(client, { projectID, body });
 * ```
 */
export type UpdateAgentErrorGroups = {
    groupIDs: ReadonlyArray<string>;
    /**
     * A user who has access to the project. Null: nobody.
     */
    assigneeID?: string | null | undefined;
    /**
     * Null: none.
     */
    note?: string | null | undefined;
    /**
     * An address with http or https. Null: none.
     */
    link?: string | null | undefined;
};

/**
 * What to change. Absent fields stay as they are.
 *
 * @example
 * ```ts
 * const body: UpdateAlertChannel = { name: 'on-call', recipients: ['on-call@example.com'] };
 * await updateAlertChannel(client, { alertChannelID, body });
 * ```
 */
export type UpdateAlertChannel = {
    /**
     * Not unique.
     */
    name?: string | undefined;
    /**
     * The address to which messages are posted, https. Needed for `webhook`, `slack`, `mattermost`, `discord` and `teams`. For `pagerduty` and `opsgenie`: another address than that of the service, such as that of another region; a change needs `key` too, because the stored key is not sent to another address. Treated as a secret: no answer contains it.
     */
    url?: string | undefined;
    /**
     * Needed for `pagerduty` (the integration key of an Events API v2 integration) and `opsgenie` (the key of an API integration). A secret: no answer contains it.
     */
    key?: string | undefined;
    /**
     * Needed for `mail`: the addresses to which messages are sent.
     */
    recipients?: ReadonlyArray<string> | undefined;
    /**
     * When messages wait; null: never.
     */
    quietHours?: {
        /**
         * Local time, hh:mm.
         */
        from: string;
        /**
         * Local time, hh:mm. Earlier than `from`: on the next day.
         */
        until: string;
        /**
         * Name of the IANA time zone database.
         */
        timeZone: string;
    } | null;
    /**
     * false: nothing is sent, and waiting messages are dropped. true: from now on.
     */
    enabled?: boolean | undefined;
};

/**
 * What to change. Absent fields stay as they are.
 *
 * @example
 * ```ts
 * const body: UpdateAlertRule = { name: 'bad rollouts' };
 * await updateAlertRule(client, { alertRuleID, body });
 * ```
 */
export type UpdateAlertRule = {
    /**
     * Not unique.
     */
    name?: string | undefined;
    /**
     * For `widespread_group` and `agents_offline`: at least so many agents. With `share` too, either of the two is enough.
     */
    agents?: number | null | undefined;
    /**
     * For `widespread_group` and `agents_offline`: at least this share of the agents of the project; 0.1 is 10%.
     */
    share?: number | null | undefined;
    /**
     * For `widespread_group`: the time in which their errors were created. Absent: 3600.
     */
    windowSeconds?: number | null | undefined;
    /**
     * For `token_expiring`: how many days before the end. Absent: 7.
     */
    days?: number | null | undefined;
    /**
     * Who is told; null: all channels of the project, also later ones.
     */
    channelIDs?: ReadonlyArray<string> | null | undefined;
    /**
     * After a message about a group, a token that is about to expire, a core instance or offline agents, how long no further one about the same is sent, unless it says that it is over. `rollout_stopped`, `wildcard_token` and `member_added` tell of each event, whenever it happens. Absent: 3600.
     */
    cooldownSeconds?: number | undefined;
    /**
     * false: it looks for nothing.
     */
    enabled?: boolean | undefined;
};

/**
 * The fields of a core instance to change: absent and null fields stay as they are. Other fields are ignored.
 *
 * @example
 * ```ts
 * const body: UpdateCoreInstance = { name: 'plant-7', tags: ['eu-west-1'] };
 * await updateCoreInstance(client, { coreInstanceID, body });
 * ```
 */
export type UpdateCoreInstance = {
    /**
     * Unique among the core instances of the project.
     */
    name?: string | null | undefined;
    tags?: ReadonlyArray<string> | null | undefined;
    /**
     * Secrets in it are replaced before it is stored.
     */
    metadata?: {
        [key: string]: unknown;
    } | null;
};

/**
 * The fields of a fleet to change: absent and null fields stay as they are. Other fields are ignored.
 *
 * @example
 * ```ts
 * const body: UpdateFleet = { name: 'edge', minFluentBitVersion: '3.2.0' };
 * await updateFleet(client, { fleetID, body });
 * ```
 */
export type UpdateFleet = {
    /**
     * Unique among the fleets of the project. 1 to 32 ASCII letters, digits and `.` `_` `~` `-`, because agents write it into URLs as it is.
     */
    name?: string | null | undefined;
    /**
     * The oldest version of Fluent Bit that the configuration is for. Empty: any.
     */
    minFluentBitVersion?: string | null | undefined;
    /**
     * The configuration, at most 1048576 bytes in UTF-8.
     */
    rawConfig?: string | null | undefined;
    /**
     * The form of the configuration: `ini`, `conf`, `classic`, `yml`, `yaml`, `json`; the case does not matter. Empty: as it is stored, and `classic` for a new one.
     */
    configFormat?: string | null | undefined;
    tags?: ReadonlyArray<string> | null | undefined;
    /**
     * `on`: the service appends a block to each configuration that it serves, with which agents report their own errors. The configuration of a fleet replaces the whole local one, so that without it their errors are not seen.
     */
    reporting?: 'on' | 'off' | null | undefined;
    /**
     * A version of this fleet: all agents get it, with its files. It cannot be sent with `rawConfig`.
     */
    versionID?: string | null | undefined;
    /**
     * What the new version is about.
     */
    note?: string | null | undefined;
    /**
     * True: plugins and properties that are not known are accepted. What could harm an agent is refused all the same.
     */
    skipConfigValidation?: boolean | null | undefined;
    /**
     * True: agents get it also if a rollout of this version was stopped by itself before.
     */
    despiteBad?: boolean | null | undefined;
};

/**
 * What to change of a file: absent and null fields stay as they are.
 *
 * @example
 * ```ts
 * const body: UpdateFleetFile = { name: 'parsers.conf', contents: 'W1BBUlNFUl0KICAgIE5hbWUganNvbgogICAgRm9ybWF0IGpzb24K' };
 * await updateFleetFile(client, { fleetFileID, body });
 * ```
 */
export type UpdateFleetFile = {
    /**
     * Without a path: agents write the file next to their configuration, which refers to it by this name.
     */
    name?: string | null | undefined;
    /**
     * The bytes of the file in Base64 (RFC 4648, with padding).
     */
    contents?: string | null | undefined;
};

/**
 * Secrets to change.
 *
 * @example
 * ```ts
 * const body: UpdateFleetSecrets = { unset: ['port'] };
 * await updateFleetSecrets(client, { fleetID, body });
 * ```
 */
export type UpdateFleetSecrets = {
    /**
     * What to set, or to replace.
     */
    set?: ReadonlyArray<{
        /**
         * As configurations write it: `{{vars.NAME}}` or `{{secrets.NAME}}`.
         */
        name: string;
        /**
         * One line, without control characters and without spaces at its ends, which agents would remove. It must not contain `${`, which agents replace by variables of their environment.
         */
        value: string;
    }>;
    /**
     * What to remove.
     */
    unset?: ReadonlyArray<string> | undefined;
    /**
     * True: also during a freeze of the project.
     */
    despiteFreeze?: boolean | undefined;
};

/**
 * Values to change, for the fleet or for a part of it.
 *
 * @example
 * ```ts
 * const body: UpdateFleetVariables = { unset: ['port'], tag: 'eu' };
 * await updateFleetVariables(client, { fleetID, body });
 * ```
 */
export type UpdateFleetVariables = {
    /**
     * What to set, or to replace.
     */
    set?: ReadonlyArray<{
        /**
         * As configurations write it: `{{vars.NAME}}` or `{{secrets.NAME}}`.
         */
        name: string;
        /**
         * One line, without control characters and without spaces at its ends, which agents would remove.
         */
        value: string;
    }>;
    /**
     * What to remove.
     */
    unset?: ReadonlyArray<string> | undefined;
    /**
     * Only for agents with this tag.
     */
    tag?: string | undefined;
    /**
     * Only for this agent.
     */
    agentID?: string | undefined;
    /**
     * True: also during a freeze of the project.
     */
    despiteFreeze?: boolean | undefined;
};

/**
 * All freeze windows of the project, in place of those before.
 *
 * @example
 * ```ts
 * const body: UpdateFreezeWindows = { freezeWindows: [{ name: 'weekend', weekdays: ['fri'], from: '18:00', to: '08:00', zone: 'Europe/Berlin' }] };
 * await updateFreezeWindows(client, { projectID, body });
 * ```
 */
export type UpdateFreezeWindows = {
    freezeWindows: ReadonlyArray<FreezeWindow>;
};

/**
 * The new role of a member, or the permissions instead.
 *
 * @example
 * ```ts
 * const body: UpdateMember = { role: 'operator' };
 * await updateMember(client, { projectID, userID, body });
 * ```
 */
export type UpdateMember = {
    /**
     * `owner`: everything, members included. `operator`: everything but members and the project itself. `viewer`: reads everything. Leave it out to give a list of permissions.
     */
    role?: 'owner' | 'operator' | 'viewer' | undefined;
    /**
     * Instead of a role: exactly these permissions, such as `read:*` and `update:agent_error`.
     */
    permissions?: ReadonlyArray<Permission> | undefined;
};

/**
 * The fields of a project to change: absent fields stay as they are.
 *
 * @example
 * ```ts
 * const body: UpdateProject = { name: 'Edge' };
 * await updateProject(client, { projectID, body });
 * ```
 */
export type UpdateProject = {
    /**
     * Not unique.
     */
    name?: string | undefined;
};

/**
 * The fields of a token to change: absent fields stay as they are.
 *
 * @example
 * ```ts
 * const body: UpdateToken = { name: 'ci-deploy', permissions: ['create:*'] };
 * await updateToken(client, { tokenID, body });
 * ```
 */
export type UpdateToken = {
    /**
     * Not unique.
     */
    name?: string | undefined;
    /**
     * action:resource, wildcards allowed: `create:agent_error`, `read:*`, `*:*`.
     */
    permissions?: ReadonlyArray<Permission> | undefined;
    /**
     * When the token expires; null: never.
     */
    expiresAt?: string | null | undefined;
    /**
     * Networks in CIDR notation, or single addresses, from which the token may be used; null: from everywhere. Of a request through a proxy, the address that MUSTER_TRUST_PROXY trusts counts.
     */
    allowedNetworks?: ReadonlyArray<string> | null | undefined;
    /**
     * Maximum number of reports of errors per second with this token, on each replica; further ones get 429. Null: no limit.
     */
    reportsPerSecond?: number | null | undefined;
};

/**
 * When the fleet was changed, and the version that agents get.
 *
 * @example
 * ```ts
 * const updatedFleet: UpdatedFleet = await updateFleet(client, { fleetID, body: { name: 'edge', minFluentBitVersion: '3.2.0' } });
 * ```
 */
export type UpdatedFleet = {
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    updatedAt: string;
    /**
     * The version that agents get now. Null: there is none yet.
     */
    versionID: string | null;
};

/**
 * How many values were changed.
 *
 * @example
 * ```ts
 * const updatedFleetValues: UpdatedFleetValues = await updateFleetVariables(client, { fleetID, body: { unset: ['port'], tag: 'eu' } });
 * ```
 */
export type UpdatedFleetValues = {
    /**
     * Values that are other ones now.
     */
    changedCount: number;
};

/**
 * A user of the installation.
 *
 * @example
 * ```ts
 * const { items }: { items: User[] } = await listUsers(client).first();
 * ```
 */
export type User = {
    /**
     * UUIDv7, lower case.
     */
    id: string;
    name: string;
    /**
     * The identity provider of the user. Null: a user of this installation.
     */
    issuer: string | null;
    /**
     * The id of the user at the identity provider.
     */
    subject: string | null;
    /**
     * True for an administrator of the installation.
     */
    administrator: boolean;
    /**
     * Values of the claim with roles in MUSTER_OIDC_ROLES that the user had at the last sign-in.
     */
    claimValues: Array<string>;
    /**
     * Projects of which the user is a member.
     */
    projectsCount: number;
    /**
     * False for a user who has access to nothing until they get a role.
     */
    hasAccess: boolean;
    /**
     * ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.
     */
    createdAt: string;
};

/**
 * A configuration to check. Absent fields: as the fleet has them now.
 *
 * @example
 * ```ts
 * const body: ValidateFleetConfig = { rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n', configFormat: 'yaml' };
 * await validateFleetConfig(client, { fleetID, body });
 * ```
 */
export type ValidateFleetConfig = {
    /**
     * The configuration, at most 1048576 bytes in UTF-8.
     */
    rawConfig?: string | null | undefined;
    /**
     * The form of the configuration: `ini`, `conf`, `classic`, `yml`, `yaml`, `json`; the case does not matter. Empty: as it is stored, and `classic` for a new one.
     */
    configFormat?: string | null | undefined;
    files?: ReadonlyArray<{
        name: string;
        /**
         * Base64 with padding.
         */
        contents: string;
    }> | null;
    /**
     * True: plugins and properties that are not known are accepted. What could harm an agent is refused all the same.
     */
    skipConfigValidation?: boolean | null | undefined;
};

/**
 * What is wrong with a configuration.
 *
 * @example
 * ```ts
 * const validatedFleetConfig: ValidatedFleetConfig = await validateFleetConfig(client, { fleetID, body: { rawConfig: '[INPUT]\n    Name cpu\n\n[OUTPUT]\n    Name  stdout\n    Match *\n', configFormat: 'yaml' } });
 * ```
 */
export type ValidatedFleetConfig = {
    /**
     * True if there is no error.
     */
    isValid: boolean;
    /**
     * Errors and warnings.
     */
    findings: Array<FleetConfigFinding>;
};

/**
 * A range of the rows of a project that arrives.
 *
 * @example
 * ```ts
 * const body: WriteArrivingRows = { runID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', table: 'agents' };
 * await writeArrivingRows(client, { projectID, body });
 * ```
 */
export type WriteArrivingRows = {
    /**
     * The run of the command: it chooses a new id each time it is started.
     */
    runID: string;
    /**
     * One of `tables`.
     */
    table: string;
    /**
     * The values of the columns that order the table.
     */
    after?: ReadonlyArray<string | number> | null | undefined;
    /**
     * The values of the columns that order the table.
     */
    through?: ReadonlyArray<string | number> | null | undefined;
    columns?: ReadonlyArray<string> | undefined;
    rows?: ReadonlyArray<ReadonlyArray<unknown>> | undefined;
};
