import type { Route } from '../route.ts';
import { listAgentConfigChanges } from './agent-config-changes.ts';
import {
  getAgentErrorGroup,
  getAgentErrorGroupHistory,
  getAgentErrorGroupOrigin,
  getAgentErrorGroupTrends,
  listAgentErrorGroupAgents,
  listAgentErrorGroupErrors,
  listAgentErrorGroups,
  muteAgentErrorGroup,
  unmuteAgentErrorGroup,
} from './agent-error-groups.ts';
import {
  createAgentError,
  createMachineError,
  dismissAgentError,
  listAgentErrors,
  listProjectErrors,
  reopenAgentError,
} from './agent-errors.ts';
import {
  addAgentMetrics,
  deleteAgent,
  deleteAgents,
  getAgent,
  getAgentConfigDiff,
  getFleets,
  listAgentConfigs,
  listAgents,
  registerAgent,
  releaseAgent,
  sendAgentHeartbeat,
  sendMachineHeartbeat,
  updateAgent,
} from './agents.ts';
import {
  createAlertChannel,
  deleteAlertChannel,
  getAlertChannel,
  listAlertChannels,
  listAlertDeliveries,
  rotateAlertChannel,
  testAlertChannel,
  updateAlertChannel,
} from './alert-channels.ts';
import {
  createAlertRule,
  deleteAlertRule,
  getAlertRule,
  listAlertRules,
  previewAlertRule,
  updateAlertRule,
} from './alert-rules.ts';
import {
  exportAuditLog,
  exportInstallationAuditLog,
  getAuditChain,
  listAuditChains,
  listAuditEntries,
  listInstallationAuditEntries,
} from './audit.ts';
import {
  createCoreInstance,
  deleteCoreInstance,
  getCoreInstance,
  listCoreInstances,
  listSiteCredentials,
  pingCoreInstance,
  rotateCoreInstance,
  rotateOwnCoreInstance,
  sendCoreInstanceBatch,
  updateCoreInstance,
} from './core-instances.ts';
import { createDismissal, getDismissal, listDismissals, undoDismissal } from './dismissals.ts';
import { watchEvents } from './events.ts';
import { reportTokenLeaks } from './leaks.ts';
import {
  acceptInvitation,
  addMember,
  createInvitation,
  listInvitations,
  listMembers,
  listUsers,
  removeMember,
  revokeInvitation,
  signUp,
  updateMember,
} from './members.ts';
import {
  createProject,
  deleteProject,
  getProject,
  getProjectHistory,
  getProjectSummary,
  listProjects,
  updateProject,
} from './projects.ts';
import { applyProvisioning } from './provisioning.ts';
import { createSignInLink, listSessions, revokeSession, signOut } from './sessions.ts';
import { getDocs, getLiveness, getMetrics, getOpenApi, getReadiness } from './system.ts';
import {
  createToken,
  getOwnToken,
  getToken,
  getTokenUsage,
  listTokens,
  revokeToken,
  revokeTokenWithReason,
  rotateOwnToken,
  rotateToken,
  updateToken,
} from './tokens.ts';
import {
  createAccessToken,
  getMe,
  getOwnAccessToken,
  listAccessTokens,
  revokeAccessToken,
  rotateAccessToken,
} from './users.ts';

/** Every route of the service, by operation id and in the order of the reference. */
export const routes = {
  listTokens,
  createToken,
  getToken,
  getTokenUsage,
  updateToken,
  rotateToken,
  getOwnToken,
  rotateOwnToken,
  revokeToken,
  revokeTokenWithReason,
  reportTokenLeaks,

  createAgentError,
  createMachineError,
  listAgentErrors,
  listProjectErrors,
  dismissAgentError,
  reopenAgentError,

  createDismissal,
  listDismissals,
  getDismissal,
  undoDismissal,

  listAgentErrorGroups,
  getAgentErrorGroup,
  listAgentErrorGroupAgents,
  listAgentErrorGroupErrors,
  getAgentErrorGroupHistory,
  getAgentErrorGroupOrigin,
  getAgentErrorGroupTrends,
  muteAgentErrorGroup,
  unmuteAgentErrorGroup,

  registerAgent,
  listAgents,
  getFleets,
  getAgent,
  updateAgent,
  releaseAgent,
  deleteAgent,
  deleteAgents,
  listAgentConfigs,
  listAgentConfigChanges,
  getAgentConfigDiff,
  addAgentMetrics,
  sendAgentHeartbeat,
  sendMachineHeartbeat,

  createCoreInstance,
  listCoreInstances,
  getCoreInstance,
  updateCoreInstance,
  deleteCoreInstance,
  rotateCoreInstance,
  pingCoreInstance,
  rotateOwnCoreInstance,
  sendCoreInstanceBatch,
  listSiteCredentials,

  watchEvents,

  listAlertChannels,
  createAlertChannel,
  getAlertChannel,
  updateAlertChannel,
  deleteAlertChannel,
  rotateAlertChannel,
  testAlertChannel,
  listAlertDeliveries,

  listAlertRules,
  createAlertRule,
  previewAlertRule,
  getAlertRule,
  updateAlertRule,
  deleteAlertRule,

  listAuditEntries,
  getAuditChain,
  exportAuditLog,
  listInstallationAuditEntries,
  listAuditChains,
  exportInstallationAuditLog,

  listProjects,
  createProject,
  getProject,
  getProjectSummary,
  getProjectHistory,
  updateProject,
  deleteProject,
  applyProvisioning,

  listMembers,
  addMember,
  updateMember,
  removeMember,
  listInvitations,
  createInvitation,
  revokeInvitation,
  acceptInvitation,
  signUp,
  listUsers,

  getMe,
  listAccessTokens,
  createAccessToken,
  getOwnAccessToken,
  rotateAccessToken,
  revokeAccessToken,

  createSignInLink,
  listSessions,
  revokeSession,
  signOut,

  getLiveness,
  getReadiness,
  getMetrics,
  getOpenApi,
  getDocs,
};

export type OperationID = keyof typeof routes;

/** The same routes as a list. */
export const allRoutes: readonly Route[] = Object.values<Route>(routes);
