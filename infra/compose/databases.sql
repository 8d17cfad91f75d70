-- One database per service, each owned by the same role.
CREATE DATABASE node;
CREATE DATABASE bridge;
CREATE DATABASE dashboard;
