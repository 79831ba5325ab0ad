/** Selects what tells an installation from others: the id of its first user. No row before its first start. */
export const selectInstallationID = 'select id from users order by id limit 1';
