// Pinocchio's derivatives in a loop over states, from its headers: what a program in C++ would have of it.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/serialization.hpp>

using Vectors = Eigen::Map<const Eigen::MatrixXd>;

struct Robot {
  pinocchio::Model model;
  pinocchio::Data data;
};

// Of a file that Pinocchio's Python has written.
extern "C" Robot *load(const char *path) {
  auto *robot = new Robot;
  robot->model.loadFromBinary(path);
  robot->data = pinocchio::Data(robot->model);
  return robot;
}

// Of states q (nq each), v and x (nv each), one after the other; returns a number that depends on all results.
extern "C" double run(Robot *robot, int which, const double *q, const double *v, const double *x, int count) {
  auto &model = robot->model;
  auto &data = robot->data;
  Vectors all_q(q, model.nq, count), all_v(v, model.nv, count), all_x(x, model.nv, count);
  double last = 0.0;
  for (int i = 0; i < count; ++i) {
    if (which == 0) {
      pinocchio::computeRNEADerivatives(model, data, all_q.col(i), all_v.col(i), all_x.col(i));
      last += data.dtau_dq(0, 0);
    } else if (which == 1) {
      pinocchio::computeABADerivatives(model, data, all_q.col(i), all_v.col(i), all_x.col(i));
      last += data.ddq_dq(0, 0);
    } else {
      pinocchio::computeMinverse(model, data, all_q.col(i));
      last += data.Minv(0, 0);
    }
  }
  return last;
}
