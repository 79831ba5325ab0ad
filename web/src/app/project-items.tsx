import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MenuButton } from '../parts/button-menu.tsx';
import { Icon } from '../parts/icon.tsx';
import { OpeningMenu } from '../parts/opening-menu.tsx';
import { projectsQuery } from '../session/session-queries.ts';
import { appTexts } from '../texts/app.ts';

interface ProjectItemsProps {
  readonly button: MenuButton;
  readonly projectID: string | undefined;
  /** Undefined: the user may not make projects. */
  readonly onCreate: (() => void) | undefined;
}

export default function ProjectItems({ button, projectID, onCreate }: ProjectItemsProps) {
  const { data: projects = [] } = useQuery(projectsQuery);
  return (
    <OpeningMenu button={button} position="bottom-start" width={260}>
      {projects.map((project) => (
        <Menu.Item
          key={project.id}
          component={Link}
          to={`/projects/${project.id}`}
          aria-current={project.id === projectID}
          rightSection={project.id === projectID ? <Icon name="check" size={14} /> : undefined}
        >
          <bdi>{project.name}</bdi>
        </Menu.Item>
      ))}
      {onCreate !== undefined && <Menu.Item onClick={onCreate}>{appTexts.createProject}</Menu.Item>}
    </OpeningMenu>
  );
}
