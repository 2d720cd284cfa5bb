export const mysqlExamples = [
  {
    name: "shop-db",
    doc: "A database with one node, for clients from two networks only.",
    spec: {
      engine: "mysql/8.0.30",
      region: "us-east",
      type: "g6-standard-1",
      allowList: ["192.0.2.0/24", "203.0.113.7"],
    },
    changes: { allowList: { allowList: ["192.0.2.0/24"] }, label: { label: "shop-db-renamed" } },
    sample: true,
  },
  {
    name: "shop-db-ha",
    doc: "An encrypted database with three nodes, a maintenance window, and a chosen name for the Secret.",
    spec: {
      label: "shop-db-main",
      engine: "mysql/8.0.30",
      region: "us-east",
      type: "g6-dedicated-2",
      clusterSize: 3 as const,
      replicationType: "semi_synch" as const,
      encrypted: true,
      sslConnection: true,
      allowList: [],
      maintenance: { frequency: "monthly" as const, dayOfWeek: 7, hourOfDay: 3, durationHours: 2, weekOfMonth: 1 },
      connectionSecretName: "shop-database",
    },
    changes: {
      maintenance: { maintenance: { frequency: "weekly" as const, dayOfWeek: 1, hourOfDay: 4, durationHours: 1 } },
      connectionSecretName: { connectionSecretName: "shop-database-2" },
      connectionSecret: {
        connectionSecret: {
          keys: { username: "WORDPRESS_DB_USER", password: "WORDPRESS_DB_PASSWORD" },
          template: { WORDPRESS_DB_HOST: "{{ .host }}:{{ .port }}", WORDPRESS_DB_NAME: "wordpress" },
          labels: { "app.kubernetes.io/part-of": "shop" },
        },
      },
    },
  },
  {
    name: "shop-db-instances",
    doc: "A database for clients from one network and one instance. If the address of the instance changes, the operator updates the list.",
    spec: {
      engine: "mysql/8.0.30",
      region: "us-east",
      type: "g6-standard-1",
      allowList: ["192.0.2.0/24"],
      allowRefs: [{ kind: "ComputeInstance" as const, name: "empty", address: "Public" as const }],
    },
    changes: {
      allowRefs: {
        allowRefs: [
          { kind: "ComputeInstance" as const, name: "empty", address: "Public" as const },
          { kind: "ComputeInstance" as const, name: "spare", address: "Public" as const },
        ],
      },
    },
    needs: [
      { kind: "ComputeInstance", example: "empty" },
      { kind: "ComputeInstance", example: "empty", name: "spare" },
    ],
  },
  {
    name: "blog-db",
    doc: "A database with a Secret for WordPress: the keys have the names of WordPress variables.",
    spec: {
      engine: "mysql/8.0.30",
      region: "us-east",
      type: "g6-standard-1",
      connectionSecret: {
        name: "blog-database",
        keys: { username: "WORDPRESS_DB_USER", password: "WORDPRESS_DB_PASSWORD" },
        template: { WORDPRESS_DB_HOST: "{{ .host }}:{{ .port }}", WORDPRESS_DB_NAME: "wordpress" },
      },
    },
    shownOnly: true,
  },
];
